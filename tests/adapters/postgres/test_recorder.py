from contracts.recorder import RecorderContract


class TestRecorder(RecorderContract):
    """The library can use it."""
