"""The processes one can start, and the composition that wires them."""
