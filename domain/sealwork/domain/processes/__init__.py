"""Processes: what an act makes of one, by the workflow that it runs."""
