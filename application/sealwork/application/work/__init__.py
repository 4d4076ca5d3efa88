"""Firing durable work."""
