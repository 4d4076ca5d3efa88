"""A published version is compiled once, whatever happens under it afterwards."""

from __future__ import annotations

from sealing import ONBOARDING, TENANT, a_deployment
from watching import called_by


def test_a_content_hash_is_compiled_once() -> None:
    deployment = a_deployment()
    ref = deployment.published({**ONBOARDING, "path": "customer/other"})

    once = deployment.definitions.workflow(TENANT, ref.sha256)

    assert once is not None
    assert deployment.definitions.workflow(TENANT, ref.sha256) is once


def test_an_event_of_a_running_process_compiles_nothing() -> None:
    deployment = a_deployment()
    deployment.begin("p-1")

    called = called_by(lambda: deployment.take("p-1", "submit", "maria"))

    assert "decide" in called
    assert not {"compile_workflow", "compile_schema", "compile_expression"} & called
