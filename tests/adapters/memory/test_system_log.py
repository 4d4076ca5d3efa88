from contracts.system_log import SystemLogContract


class TestSystemLog(SystemLogContract):
    """Attempts are kept as the port promises."""
