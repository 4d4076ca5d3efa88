"""Bundles as zip archives: written whole or not at all, and read as evidence once they are what they say."""
