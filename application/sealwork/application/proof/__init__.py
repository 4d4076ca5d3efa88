"""Showing and checking what happened."""
