"""How laws are run: no deadline, since the machine may be busy, and few enough examples for a quick test run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

law = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
