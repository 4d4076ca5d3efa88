"""Instants and durations."""
