"""Workflow definitions, and what an action makes of a process."""
