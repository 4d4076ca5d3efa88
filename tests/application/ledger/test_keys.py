"""Who may sign: by position in the registry, never by a claimed time. Source: events.md, "Keys"; X-28, X-54."""

from __future__ import annotations

from datetime import timedelta

import pytest

from open_box import OpenBox, an_open_box
from sealing import accepted
from sealwork.application.ledger.manage_actors import Admission
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused


def end(box: OpenBox, name: str, how: str) -> None:
    """Retire or revoke somebody's key."""
    accepted(getattr(box.actors, how)(box.tenant, box.key(name).actor, box.key("admin")))


def code_of(answer: Appended | Refused) -> RefusalCode:
    """The code of what must be a refusal."""
    assert isinstance(answer, Refused), answer
    assert answer.pointer == "/key"
    return answer.code


def acting(box: OpenBox, by: str) -> Appended | Refused:
    """The answer to `by` handing in c-1."""
    return box.act(box.tenant, "c-1", "submit", box.key(by), input_={})


ENDS = [("retire", RefusalCode.KEY_RETIRED), ("revoke", RefusalCode.KEY_REVOKED)]


def test_a_key_that_was_never_admitted_is_unknown() -> None:
    box = an_open_box()
    box.begin("c-1")

    assert code_of(acting(box, "stranger")) is RefusalCode.UNKNOWN_ACTOR


@pytest.mark.parametrize(("how", "code"), ENDS)
def test_a_key_that_has_ended_signs_nothing_more(how: str, code: RefusalCode) -> None:
    box = an_open_box()
    box.begin("c-1")
    end(box, "maria", how)

    assert code_of(acting(box, "maria")) is code


@pytest.mark.parametrize(("how", "code"), ENDS)
def test_what_was_signed_before_the_end_and_comes_after_it_is_refused(how: str, code: RefusalCode) -> None:
    box = an_open_box()
    box.begin("c-1")
    earlier = box.submission("process/c-1", "submit", "maria", at=instant_text(box.clock.now() - timedelta(1)))
    end(box, "maria", how)

    assert code_of(box.process_event(earlier)) is code


@pytest.mark.parametrize(("how", "code"), ENDS)
def test_what_stood_before_the_end_stays_valid(how: str, code: RefusalCode) -> None:
    box = an_open_box()
    box.begin("c-1")
    end(box, "maria", how)

    assert box.verify().intact


def test_a_new_key_may_take_the_name_of_one_that_has_ended() -> None:
    box = an_open_box()
    box.begin("c-1")
    end(box, "maria", "retire")
    admission = Admission(tenant=box.tenant, key_class=KeyClass.PERSON, label="maria", roles=("intake",))
    accepted(box.actors.admit(admission, box.key("maria's second"), box.key("admin")))

    assert isinstance(acting(box, "maria's second"), Appended)


def test_a_role_counts_from_the_grant_on() -> None:
    box = an_open_box()
    box.begin("c-1")
    assert code_of(acting(box, "ana")) is RefusalCode.WRONG_ROLE

    accepted(box.actors.grant_role(box.tenant, box.key("ana").actor, "intake", box.key("admin")))

    assert isinstance(acting(box, "ana"), Appended)


def test_a_key_of_one_tenant_is_unknown_in_another() -> None:
    box = an_open_box()
    box.admit("their admin", KeyClass.ACTOR_ADMIN, tenant="globex", by="root")
    definition = box.definitions.find(box.tenant, "customer/onboarding")

    answer = box.process_event(
        box.submission("process/c-1", "start", "maria", tenant="globex", definition=definition)
    )

    assert code_of(answer) is RefusalCode.UNKNOWN_ACTOR


@pytest.mark.parametrize("by", ["root", "engine"])
def test_keys_of_the_deployment_never_act_on_a_process(by: str) -> None:
    box = an_open_box()
    box.begin("c-1")

    assert code_of(acting(box, by)) is RefusalCode.UNKNOWN_ACTOR


def test_root_publishes_no_workflow() -> None:
    box = an_open_box()

    answer = box.process_event(box.submission("workflow/customer/onboarding", "withdraw", "root"))

    assert code_of(answer) is RefusalCode.UNKNOWN_ACTOR


def test_a_record_names_the_positions_that_it_was_judged_by() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.admit("omar")
    box.take("c-1", "submit", "maria")

    before, after = (event.read_record for event in box.events("process/c-1"))

    assert isinstance(before, Record)
    assert isinstance(after, Record)
    assert after.actors.tenant == before.actors.tenant + 1 == len(box.events("actors/registry"))
    assert after.actors.system == len(box.events("actors/registry", "system")) == 1


@pytest.mark.parametrize("how", ["retire", "revoke"])
def test_an_engine_seals_nothing_more_once_its_key_has_ended(how: str) -> None:
    box = an_open_box()
    box.begin("c-1")
    box.admit("engine 2", KeyClass.ENGINE, tenant=SYSTEM, by="root")
    accepted(getattr(box.actors, how)(SYSTEM, box.key("engine").actor, box.key("root")))
    before = box.picture()

    with pytest.raises(Misconfigured, match=f"this engine cannot go on: the key of engine was {how}d"):
        acting(box, "maria")

    assert box.picture() == before
    assert box.verify().intact


def test_an_engine_whose_key_ends_while_it_decides_seals_nothing_more() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.admit("engine 2", KeyClass.ENGINE, tenant=SYSTEM, by="root")
    retirement = box.submission(
        "actors/registry", "key.retire", "root", tenant=SYSTEM, input={"key": box.key("engine").actor}
    )
    box.open_log.before_append = iter([lambda: box.process_event(retirement)])

    with pytest.raises(Misconfigured, match="this engine cannot go on"):
        acting(box, "maria")

    assert len(box.events("process/c-1")) == 1
    assert box.verify().intact
