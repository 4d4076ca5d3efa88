"""The world: databases, keys, clocks, commands. Siblings do not know each other; entrypoints wire them."""
