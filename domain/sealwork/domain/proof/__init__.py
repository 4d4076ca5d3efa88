"""What can be proven from the bytes alone."""
