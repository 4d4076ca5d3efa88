from contracts.event_submitter import EventSubmitterContract


class TestEventSubmitter(EventSubmitterContract):
    """The engine in this process answers as the port promises."""
