"""Looking after a deployment: what is wrong with it, and what to do."""
