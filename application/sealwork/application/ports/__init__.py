"""What the application needs from the world, in its own words."""
