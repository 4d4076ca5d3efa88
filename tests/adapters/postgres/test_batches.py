from contracts.batches import BatchContract


class TestBatches(BatchContract):
    """Several submissions in one call."""
