from contracts.families import FamiliesContract


class TestFamilies(FamiliesContract):
    """Processes begin others."""
