"""Taking events in, and keeping the registry of actors."""
