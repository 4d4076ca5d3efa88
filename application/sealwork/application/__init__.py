"""Use cases: one class each, ports in, one command, read from top to bottom."""
