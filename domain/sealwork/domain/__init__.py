"""The domain: decisions as pure functions over frozen values. No clock, no I/O, no framework."""
