"""Whatever is submitted, PostgreSQL answers and stores what the adapter in memory does: byte for byte the same.

So nothing that a parser lets through is refused by a type, an index or a function of the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mangled_intents import Post, an_office, at_the_edges, claimed, posts, rewritten
from sealing import START, TENANT, Deployment
from sealwork.adapters.postgres.database import Database
from servers import Server

LAW = settings(max_examples=25, deadline=None, suppress_health_check=[*HealthCheck])


@LAW
@given(st.lists(posts(), min_size=1, max_size=12))
def test_whatever_is_submitted_the_database_does_what_memory_does(server: Server, sent: Sequence[Post]) -> None:
    are_answered_alike(server.emptied(), sent)


def test_whatever_lies_at_a_limit_the_database_does_what_memory_does(emptied: Database) -> None:
    are_answered_alike(emptied, at_the_edges())


def are_answered_alike(emptied: Database, sent: Iterable[Post]) -> None:
    """Both are told the same, answer the same, and in the end hold the same."""
    office, deployment = an_office(), Deployment.joined(emptied)
    deployment.stop_at(START)
    rewritten(office.box, deployment)
    assert claimed(deployment) == office.held

    for post in sent:
        submission = post(office)
        assert deployment.process_event(submission) == office.box.process_event(submission)

    assert stands(deployment) == stands(office.box)
    assert deployment.verify().intact


def stands(deployment: Deployment) -> object:
    """All heads with their states, and all work rows."""
    heads = [*deployment.log.streams()]
    return heads, [deployment.store.of_process(TENANT, head.stream) for head in heads]
