"""What every `EventLog` promises about chains. Fixtures: `deployment`, empty, and its `scribe`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta
from hashlib import sha256
from itertools import islice
from uuid import uuid4

import pytest

from scribe import Scribe, document_input
from sealing import START, Deployment
from sealwork.application.ports.event_log import MAX_AGE, AppendStatus, Item, Question
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.record import Positions
from sealwork.domain.ledger.sealed_event import SealedEvent

STREAM = "process/p-1"
APPENDED, DUPLICATE, ID_CONFLICT = AppendStatus.APPENDED, AppendStatus.DUPLICATE, AppendStatus.ID_CONFLICT
STALE, CONTEXT_MOVED, REFUSED = AppendStatus.STALE, AppendStatus.CONTEXT_MOVED, AppendStatus.REFUSED


class EventLogContract:
    """Heads, chains, answers, documents."""

    def test_an_unknown_stream_stands_at_its_genesis(self, scribe: Scribe, deployment: Deployment) -> None:
        head = scribe.head(STREAM, str(uuid4()), (str(uuid4()), 1))

        assert (head.seq, head.hash) == (0, genesis(deployment.origin, "acme", STREAM))
        assert (head.state, head.head_record, head.head_intent) == (None, None, None)
        assert (head.same_id, head.fired, head.work) == (None, None, None)
        assert (head.actors, head.rules) == (Positions(tenant=0, system=0), 0)

    def test_what_was_appended_is_the_head(self, scribe: Scribe) -> None:
        item = scribe.item(STREAM)

        verdict = scribe.append(item)

        assert (verdict.status, verdict.seq, verdict.hash) == (APPENDED, 1, item.event.hash)
        head = scribe.head(STREAM)
        assert (head.seq, head.hash, head.state) == (1, item.event.hash, item.state)
        assert (head.head_record, head.head_intent) == (item.event.record, item.event.intent)

    def test_the_head_tells_the_time_of_the_log(self, scribe: Scribe, deployment: Deployment) -> None:
        deployment.move_to(START + timedelta(days=400))

        now = scribe.head(STREAM).now

        assert now.tzinfo is not None
        assert timedelta(0) <= now.astimezone(UTC) - START - timedelta(days=400) < timedelta(hours=1)

    def test_several_questions_are_answered_in_their_order(self, scribe: Scribe) -> None:
        items = [scribe.item(stream) for stream in ("process/b", "process/a")]
        scribe.log.append([(item,) for item in items])
        id_ = str(uuid4())
        scribe.append(scribe.item("process/a", id_=id_))
        questions = [
            Question(tenant=tenant, stream=stream, intent_id=id_, work=work)
            for tenant, stream, work in (
                ("acme", "process/b", None),
                ("acme", "process/none", ("no id at all", 1)),
                ("globex", "process/a", (str(uuid4()), 1)),
                ("acme", "process/a", None),
                ("acme", "process/b", None),
            )
        ]

        heads = scribe.log.heads(questions)

        apart = [scribe.log.head(question) for question in questions]
        timeless = {"now": apart[0].now}
        assert [head.model_copy(update=timeless) for head in heads] == [
            head.model_copy(update=timeless) for head in apart
        ]
        assert [(head.seq, head.same_id is None) for head in heads] == [
            (1, True),
            (0, True),
            (0, True),
            (2, False),
            (1, True),
        ]

    def test_no_question_has_no_answer(self, scribe: Scribe) -> None:
        assert list(scribe.log.heads([])) == []

    def test_a_log_as_of_now_does_not_see_what_comes_after(self, scribe: Scribe, deployment: Deployment) -> None:
        scribe.write(STREAM)

        with deployment.log.as_of_now() as still:
            heads = [(head.stream, head.seq) for head in still.streams()]
            scribe.write(STREAM)
            scribe.write("process/p-2")
            seqs = still.load(deployment.tenant, STREAM, lambda events: [event.seq for event in events])
            again = [(head.stream, head.seq) for head in still.streams()]

        assert (heads, seqs, again) == ([(STREAM, 1)], [1], [(STREAM, 1)])
        assert deployment.log.head(Question(tenant=deployment.tenant, stream=STREAM)).seq == 2

    def test_nothing_to_append_is_appended(self, scribe: Scribe) -> None:
        assert list(scribe.log.append([])) == []

    def test_events_load_as_they_were_appended_oldest_first(self, scribe: Scribe) -> None:
        written = [scribe.write(STREAM) for _ in range(3)]
        scribe.write("process/p-2")

        assert scribe.events(STREAM) == written

    def test_a_chain_longer_than_a_page_loads_whole_and_in_order(self, scribe: Scribe) -> None:
        hashes = [scribe.write(STREAM).hash for _ in range(502)]

        loaded = scribe.events(STREAM)

        assert [event.hash for event in loaded] == hashes
        assert [event.seq for event in loaded] == list(range(1, 503))

    def test_a_fold_may_stop_before_the_end(self, scribe: Scribe) -> None:
        written = [scribe.write(STREAM) for _ in range(3)]

        assert scribe.log.load("acme", STREAM, lambda events: list(islice(events, 2))) == written[:2]

    def test_an_unknown_stream_folds_nothing(self, scribe: Scribe) -> None:
        assert scribe.log.load("acme", STREAM, list) == []

    def test_the_same_bytes_again_are_told_the_first_event(self, scribe: Scribe) -> None:
        item = scribe.item(STREAM)
        scribe.append(item)
        scribe.write(STREAM)

        again = scribe.append(item)

        assert (again.status, again.seq, again.hash) == (DUPLICATE, 1, item.event.hash)
        assert len(scribe.events(STREAM)) == 2

    def test_the_same_id_over_other_bytes_is_a_conflict_with_the_event_that_has_it(self, scribe: Scribe) -> None:
        id_ = str(uuid4())
        first = scribe.item(STREAM, id_=id_)
        scribe.append(first)

        other = scribe.append(scribe.item(STREAM, id_=id_))

        assert (other.status, other.seq, other.hash) == (ID_CONFLICT, 1, first.event.hash)
        assert len(scribe.events(STREAM)) == 1

    def test_the_head_knows_the_event_that_has_an_id(self, scribe: Scribe) -> None:
        id_ = str(uuid4())
        item = scribe.item(STREAM, id_=id_)
        scribe.append(item)
        scribe.write(STREAM)

        known = scribe.head(STREAM, id_).same_id

        assert known is not None
        assert (known.intent, known.receipt) == (item.event.intent, item.event.receipt)
        assert scribe.head("process/p-2", id_).same_id is None

    def test_an_event_over_a_head_that_moved_is_stale(self, scribe: Scribe) -> None:
        begun = scribe.head(STREAM)
        scribe.write(STREAM)
        behind = scribe.head(STREAM)
        scribe.write(STREAM)

        assert [scribe.append(scribe.item(STREAM, over=head)).status for head in (begun, behind)] == [STALE, STALE]

    @pytest.mark.parametrize("gap", [{"seq": 3}, {"hash": "0" * 64}, {"seq": 0}], ids=str)
    def test_an_event_that_does_not_follow_the_head_is_stale(self, scribe: Scribe, gap: dict[str, object]) -> None:
        scribe.write(STREAM)
        head = scribe.head(STREAM).model_copy(update=gap)

        assert scribe.append(scribe.item(STREAM, over=head)).status is STALE

    def test_a_first_event_that_is_refused_leaves_no_stream_behind(self, scribe: Scribe) -> None:
        over_nothing = scribe.head(STREAM).model_copy(update={"hash": "0" * 64})

        assert scribe.append(scribe.item(STREAM, over=over_nothing)).status is STALE
        assert list(scribe.log.streams()) == []

    @pytest.mark.parametrize("bad_one", [0, 1])
    def test_items_of_one_commit_fall_together(self, scribe: Scribe, bad_one: int) -> None:
        scribe.write("process/bad")
        gone = scribe.head("process/bad").model_copy(update={"hash": "0" * 64})
        commit = [scribe.item("process/good")]
        commit.insert(bad_one, scribe.item("process/bad", over=gone))

        verdicts = scribe.log.append([tuple(commit)])

        assert [verdict.status for verdict in verdicts] == [STALE, STALE]
        assert [verdict.hash for verdict in verdicts] == [None, None]
        assert scribe.head("process/good").seq == 0

    def test_items_of_one_commit_stand_together(self, scribe: Scribe) -> None:
        verdicts = scribe.log.append([(scribe.item("process/a"), scribe.item("process/b"))])

        assert [verdict.status for verdict in verdicts] == [APPENDED, APPENDED]
        assert (scribe.head("process/a").seq, scribe.head("process/b").seq) == (1, 1)

    def test_one_bad_commit_does_not_touch_the_others(self, scribe: Scribe) -> None:
        stale = scribe.item("process/b", over=scribe.head("process/b").model_copy(update={"seq": 6}))
        ill = scribe.item("process/c").model_copy(update={"state": b"{}"})
        commits = [(scribe.item("process/a"),), (stale,), (ill,), (scribe.item("process/d"),)]

        verdicts = scribe.log.append(commits)

        assert [verdict.status for verdict in verdicts] == [APPENDED, STALE, REFUSED, APPENDED]
        assert [stream.stream for stream in scribe.log.streams()] == ["process/a", "process/d"]

    def test_an_item_that_disagrees_takes_its_commit_with_it(self, scribe: Scribe) -> None:
        ill = scribe.item("process/b").model_copy(update={"state": b"{}"})

        verdicts = scribe.log.append([(scribe.item("process/a"), ill)])

        assert [verdict.status for verdict in verdicts] == [REFUSED, REFUSED]
        assert list(scribe.log.streams()) == []

    def test_a_stream_twice_in_a_call_does_not_fork(self, scribe: Scribe) -> None:
        first, second = scribe.item(STREAM), scribe.item(STREAM)

        apart = scribe.log.append([(first,), (second,)])
        together = scribe.log.append([(scribe.item("process/p-2"), scribe.item("process/p-2"))])

        assert [verdict.status for verdict in apart] == [APPENDED, STALE]
        assert [verdict.status for verdict in together] == [REFUSED, REFUSED]
        assert scribe.events(STREAM) == [first.event]

    def test_two_tenants_share_nothing(self, scribe: Scribe, deployment: Deployment) -> None:
        other = Scribe(deployment, "globex")
        id_, text = str(uuid4()), b'{"a":1}'
        ours = scribe.item("workflow/w", id_=id_, input_=document_input(text), document=text)
        scribe.append(ours)

        assert (other.head("workflow/w", id_).seq, other.head("workflow/w", id_).same_id) == (0, None)
        assert other.log.document("globex", sha256(text).hexdigest()) is None
        theirs = other.item("workflow/w", id_=id_, input_=document_input(text), document=text)
        assert other.append(theirs).status is APPENDED
        assert (scribe.events("workflow/w"), other.events("workflow/w")) == ([ours.event], [theirs.event])

    def test_one_key_may_be_two_people_in_two_tenants(self, deployment: Deployment) -> None:
        deployment.bootstrap()
        deployment.admit("admin", KeyClass.ACTOR_ADMIN, tenant="globex", by="root")
        deployment.admit("maria", KeyClass.PERSON, "intake")
        deployment.admit("maria", KeyClass.PERSON, "analyst", tenant="globex")
        maria, admin = deployment.key("maria").actor, deployment.key("admin")

        deployment.actors.revoke("globex", maria, admin)

        here, there = (deployment.show_actors(tenant).keys[maria] for tenant in ("acme", "globex"))
        assert (here.roles, here.revoked_at) == (frozenset({"intake"}), None)
        assert (there.roles, there.revoked_at) == (frozenset({"analyst"}), 3)

    def test_an_event_with_a_cause_has_no_intent(self, scribe: Scribe) -> None:
        cause = scribe.write("rule/rul_1")
        item = scribe.without_intent(scribe.item("rules/set"), cause)

        assert scribe.append(item).status is APPENDED
        (stored,) = scribe.events("rules/set")
        assert (stored, stored.intent, stored.intent_sig) == (item.event, None, None)
        assert scribe.head("rules/set").head_intent is None

    def test_what_was_decided_too_long_ago_is_decided_again(self, deployment: Deployment, scribe: Scribe) -> None:
        """Who was suspended in between must not be called a forger later: others judge by the time of an event."""
        before = scribe.head(STREAM)
        deployment.wait(MAX_AGE + timedelta(seconds=1))

        assert scribe.append(scribe.item(STREAM, over=before)).status is CONTEXT_MOVED
        assert list(scribe.log.streams()) == []
        assert scribe.append(scribe.item(STREAM)).status is AppendStatus.APPENDED

    def test_a_position_that_moved_is_told(self, scribe: Scribe, deployment: Deployment) -> None:
        system = Scribe(deployment, "system")
        movers: list[Callable[[], object]] = [
            lambda: deployment.admit("engine", KeyClass.ENGINE, tenant="system", by="root"),
            lambda: deployment.admit("admin", KeyClass.ACTOR_ADMIN, by="root"),
            lambda: scribe.append(scribe.without_intent(scribe.item("rules/set"), scribe.write("rule/rul_1"))),
        ]
        for moved in movers:
            before = scribe.head(STREAM)
            moved()
            assert scribe.append(scribe.item(STREAM, over=before)).status is CONTEXT_MOVED

        head = scribe.head(STREAM)
        assert (head.seq, head.actors, head.rules) == (0, Positions(tenant=1, system=1), 1)
        assert system.head(STREAM).actors == Positions(tenant=1, system=1)
        assert scribe.append(scribe.item(STREAM)).status is APPENDED

    @pytest.mark.parametrize("wrong", ["intent", "intent_sig", "no_intent", "state", "record"])
    def test_bytes_that_disagree_are_refused(self, scribe: Scribe, wrong: str) -> None:
        item, other = scribe.item(STREAM), scribe.item(STREAM)
        changes: dict[str, dict[str, object]] = {
            "intent": {"intent": other.event.intent},
            "intent_sig": {"intent_sig": b"\x01" * 64},
            "no_intent": {"intent": None, "intent_sig": None},
            "record": {"record": other.event.record},
            "state": {},
        }
        event = SealedEvent.model_validate(item.event.model_dump() | changes[wrong])
        state = b"{}" if wrong == "state" else item.state

        verdict = scribe.append(Item(event=event, state=state))

        assert (verdict.status, verdict.seq, verdict.hash) == (REFUSED, None, None)
        assert verdict.detail
        assert scribe.head(STREAM).seq == 0

    @pytest.mark.parametrize(
        "members",
        [
            {"origin": "test.example/other"},
            {"tenant": "globex"},
            {"stream": "process/p-2"},
            {"seq": 2},
            {"prev": "0" * 64},
            {"actor": "ed25519:" + "ab" * 32},
        ],
        ids=lambda members: next(iter(members)),
    )
    def test_a_record_that_says_otherwise_than_its_intent_is_refused(
        self, scribe: Scribe, members: dict[str, object]
    ) -> None:
        assert scribe.append(scribe.resealed(scribe.item(STREAM), **members)).status is REFUSED
        assert list(scribe.log.streams()) == []

    def test_a_document_is_stored_under_its_hash(self, scribe: Scribe) -> None:
        text = b'{"a":1}'

        scribe.append(scribe.item("workflow/w", input_=document_input(text), document=text))

        assert scribe.log.document("acme", sha256(text).hexdigest()) == text
        assert scribe.log.document("acme", sha256(b"{}").hexdigest()) is None

    def test_a_document_that_the_intent_does_not_name_is_refused(self, scribe: Scribe) -> None:
        cause = scribe.write("rule/rul_1")
        another = scribe.item("workflow/w", input_=document_input(b"{}"), document=b"[]")
        unnamed = scribe.item("workflow/w", document=b"[]")
        caused = scribe.without_intent(scribe.item("rules/set", document=b"[]"), cause)

        assert {scribe.append(item).status for item in (another, unnamed, caused)} == {REFUSED}
        assert scribe.log.document("acme", sha256(b"[]").hexdigest()) is None

    def test_an_event_that_is_not_appended_stores_no_document(self, scribe: Scribe) -> None:
        begun = scribe.head("workflow/w")
        scribe.write("workflow/w")

        late = scribe.item("workflow/w", over=begun, input_=document_input(b"{}"), document=b"{}")

        assert scribe.append(late).status is STALE
        assert scribe.log.document("acme", sha256(b"{}").hexdigest()) is None

    def test_streams_are_listed_bytewise_with_their_heads(self, scribe: Scribe, deployment: Deployment) -> None:
        other = Scribe(deployment, "ac-me")
        for stream in ("process/b", "process/B", "process/a-1", "process/a.1", "process/a", "workflow/a"):
            scribe.write(stream)
        theirs = other.item("process/z")
        other.append(theirs)

        heads = list(scribe.log.streams())

        ours = ["process/B", "process/a", "process/a-1", "process/a.1", "process/b", "workflow/a"]
        assert [(head.tenant, head.stream) for head in heads] == [("ac-me", "process/z")] + [
            ("acme", stream) for stream in ours
        ]
        assert (heads[0].seq, heads[0].hash, heads[0].state) == (1, theirs.event.hash, theirs.state)
        assert [head.stream for head in scribe.log.streams("acme")] == ours
        assert list(scribe.log.streams("nobody")) == []

    def test_a_question_is_answered_about_its_own_tenant(self, scribe: Scribe) -> None:
        scribe.write(STREAM)

        assert scribe.log.head(Question(tenant="globex", stream=STREAM)).seq == 0
