"""The command line: it renders and asks, and holds no rule (S1-136)."""
