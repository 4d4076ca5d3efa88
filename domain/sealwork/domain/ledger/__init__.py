"""The exact bytes that are signed, hashed, chained and countersigned, and who may sign them."""
