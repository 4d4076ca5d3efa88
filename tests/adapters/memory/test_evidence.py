from contracts.evidence import EvidenceContract


class TestEvidence(EvidenceContract):
    """What proofs read is all there, as of one moment."""
