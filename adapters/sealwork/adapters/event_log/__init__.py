"""The library `eventsourcing` behind the port `EventLog`: mapper, recorder contract, repository (D-08)."""
