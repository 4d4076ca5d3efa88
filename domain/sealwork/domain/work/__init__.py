"""Durable work: the rows behind automation, their provenance and their outcomes."""
