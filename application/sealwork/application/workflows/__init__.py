"""Publishing workflows, and acting on processes."""
