from __future__ import annotations

from functools import reduce
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actor_steps import Step, admit, permission, retire, revoke, role, succeed
from builders import ANA, AT, ENGINE, MARIA, ROBOT, ROOT, TENANT, an_actor
from laws import law
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import (
    AUTOMATION_ROLE,
    ActorCommand,
    ActorHistory,
    ActorKey,
    ActorRegistry,
    KeyClass,
    decide,
    evolve,
    root_actor,
)
from sealwork.domain.refusals import RefusalCode, Refused

DEPLOYMENT = {KeyClass.ENGINE, KeyClass.LOG, KeyClass.WITNESS}
TENANTS = {KeyClass.PERSON, KeyClass.SERVICE, KeyClass.AUTOMATION, KeyClass.INTEGRATION}
WITH_ROLES = {KeyClass.PERSON, KeyClass.SERVICE, KeyClass.INTEGRATION, KeyClass.ACTOR_ADMIN}


def after(*steps: Step, tenant: str = TENANT) -> ActorRegistry:
    """The registry after `steps`, each of which must be accepted."""

    def step(registry: ActorRegistry, taken: Step) -> ActorRegistry:
        assert decide(registry, *taken, tenant=tenant) is None
        return evolve(registry, *taken)

    return reduce(step, steps, ActorRegistry())


def refusal(registry: ActorRegistry, step: Step, tenant: str = TENANT) -> tuple[RefusalCode, str | None] | None:
    answer = decide(registry, *step, tenant=tenant)
    return (answer.code, answer.pointer) if answer else None


def code_of(answer: ActorKey | Refused) -> RefusalCode | None:
    return answer.code if isinstance(answer, Refused) else None


# Admission


def test_an_admitted_key_is_an_actor_from_its_position_on() -> None:
    registry = after(
        admit(ANA, KeyClass.SERVICE, "ana"), admit(MARIA, KeyClass.PERSON, "maria", "intake", "clerk")
    )

    assert registry.seq == 2
    assert registry.keys[MARIA.actor] == ActorKey(
        key=MARIA.actor,
        key_class=KeyClass.PERSON,
        label="maria",
        roles=frozenset({"intake", "clerk"}),
        admitted_at=2,
    )


def test_the_registry_before_is_left_as_it_was() -> None:
    before = after(admit())

    evolve(before, *retire())

    assert before == after(admit())


@pytest.mark.parametrize("key_class", KeyClass)
def test_engine_log_and_witness_keys_live_in_the_system_tenant_only(key_class: KeyClass) -> None:
    answer = refusal(ActorRegistry(), admit(MARIA, key_class), "acme")

    assert answer == ((RefusalCode.INVALID_INPUT, "/input/class") if key_class in DEPLOYMENT else None)


@pytest.mark.parametrize("key_class", KeyClass)
def test_people_services_and_automation_live_in_every_tenant_but_the_system(key_class: KeyClass) -> None:
    answer = refusal(ActorRegistry(), admit(MARIA, key_class), SYSTEM)

    assert answer == ((RefusalCode.INVALID_INPUT, "/input/class") if key_class in TENANTS else None)


@pytest.mark.parametrize("tenant", [SYSTEM, "acme"])
def test_administrators_live_everywhere(tenant: str) -> None:
    assert refusal(ActorRegistry(), admit(MARIA, KeyClass.ACTOR_ADMIN), tenant) is None


@pytest.mark.parametrize("key_class", sorted(TENANTS))
def test_one_key_has_one_class_for_ever(key_class: KeyClass) -> None:
    registry = after(admit(MARIA, KeyClass.PERSON, "maria"))

    assert refusal(registry, admit(MARIA, key_class, "another")) == (RefusalCode.CONFLICT, "/input/key")


@pytest.mark.parametrize("end", [retire(), revoke()])
def test_a_key_that_has_ended_is_not_admitted_again(end: Step) -> None:
    registry = after(admit(), end)

    assert refusal(registry, admit(MARIA, KeyClass.PERSON, "new")) == (RefusalCode.CONFLICT, "/input/key")


def test_no_two_valid_keys_have_one_label() -> None:
    assert refusal(after(admit()), admit(ANA)) == (RefusalCode.CONFLICT, "/input/label")


@pytest.mark.parametrize("end", [retire(), revoke()])
def test_the_label_of_a_key_that_has_ended_is_free(end: Step) -> None:
    registry = after(admit(), end, admit(ANA))

    assert registry.keys[ANA.actor].label == registry.keys[MARIA.actor].label == "maria"


@pytest.mark.parametrize("key_class", sorted(WITH_ROLES - {KeyClass.ACTOR_ADMIN}))
def test_people_services_and_integrations_may_enter_with_roles(key_class: KeyClass) -> None:
    registry = after(admit(MARIA, key_class, "maria", "intake"))

    assert registry.keys[MARIA.actor].roles == {"intake"}


@pytest.mark.parametrize("key_class", sorted(set(KeyClass) - WITH_ROLES))
def test_other_keys_enter_with_the_roles_of_their_class_only(key_class: KeyClass) -> None:
    tenant = SYSTEM if key_class in DEPLOYMENT else TENANT

    answer = refusal(ActorRegistry(), admit(MARIA, key_class, "maria", "intake"), tenant)

    assert answer == (RefusalCode.INVALID_INPUT, "/input/roles")


def test_a_key_of_class_automation_has_the_automation_role() -> None:
    registry = after(admit(ROBOT, KeyClass.AUTOMATION, "robot"))

    assert registry.keys[ROBOT.actor].roles == {AUTOMATION_ROLE}


def test_no_other_key_enters_with_the_automation_role() -> None:
    step = admit(MARIA, KeyClass.SERVICE, "maria", "intake", AUTOMATION_ROLE)

    assert refusal(ActorRegistry(), step) == (RefusalCode.INVALID_INPUT, "/input/roles")


# Succession


def test_the_keys_of_one_line_are_one_person() -> None:
    registry = after(admit(MARIA), succeed(MARIA, ANA, "2"), admit(ENGINE, label="else"), succeed(ANA, ROBOT, "3"))

    assert [registry.line(key.actor) for key in (MARIA, ANA, ROBOT)] == [{MARIA.actor, ANA.actor, ROBOT.actor}] * 3
    assert registry.line(ENGINE.actor) == {ENGINE.actor}
    assert (registry.keys[ANA.actor].succeeds, registry.keys[ANA.actor].succeeded_by) == (MARIA.actor, ROBOT.actor)


def test_a_key_that_nobody_admitted_is_alone_in_its_line() -> None:
    assert after(admit()).line(ANA.actor) == {ANA.actor}


@pytest.mark.parametrize("end", [retire(), revoke()])
def test_a_key_that_has_ended_can_still_be_succeeded(end: Step) -> None:
    registry = after(admit(), end, succeed(MARIA, ANA, "maria"))

    assert registry.line(ANA.actor) == {MARIA.actor, ANA.actor}


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        (succeed(ROBOT, ANA), (RefusalCode.INVALID_INPUT, "/input/succeeds")),
        (succeed(ANA, ANA), (RefusalCode.INVALID_INPUT, "/input/succeeds")),
        (succeed(MARIA, ANA, key_class=KeyClass.SERVICE), (RefusalCode.INVALID_INPUT, "/input/succeeds")),
        (succeed(MARIA, MARIA), (RefusalCode.CONFLICT, "/input/key")),
    ],
    ids=["unknown", "itself", "another class", "itself again"],
)
def test_a_key_succeeds_one_of_its_class_that_is_listed_here(
    step: Step, answer: tuple[RefusalCode, str | None]
) -> None:
    assert refusal(after(admit()), step) == answer


def test_a_key_is_succeeded_once_and_the_refusal_says_by_whom() -> None:
    registry = after(admit(), succeed(MARIA, ANA, "maria 2"))

    answer = decide(registry, *succeed(MARIA, ROBOT), tenant=TENANT)

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.CONFLICT, "/input/succeeds")
    assert "maria 2" in answer.detail


def test_a_line_that_an_editor_of_the_chain_has_closed_to_a_circle_ends() -> None:
    forged = evolve(after(admit(), succeed(MARIA, ANA)), *succeed(ANA, MARIA))
    alone = evolve(ActorRegistry(), *succeed(ANA, ANA))

    assert forged.line(MARIA.actor) == {MARIA.actor, ANA.actor}
    assert alone.line(ANA.actor) == {ANA.actor}


def test_what_a_line_was_can_be_told_of_every_position() -> None:
    steps = (admit(MARIA), succeed(MARIA, ANA, "2"), retire(MARIA), succeed(ANA, ROBOT, "3"))
    history = ActorHistory(after(*steps[:number]) for number in range(1, 5))

    lines = [history.at(position, history.newest.line(MARIA.actor)).line(MARIA.actor) for position in range(1, 5)]

    assert [len(line) for line in lines] == [1, 2, 2, 3]


# Roles and permissions


def test_a_granted_role_is_held_until_it_is_revoked() -> None:
    granted = after(admit(), role("grant", "intake"))
    revoked = after(admit(), role("grant", "intake"), role("revoke", "intake"))

    assert granted.keys[MARIA.actor].roles == {"intake"}
    assert revoked.keys[MARIA.actor].roles == frozenset()


def test_a_granted_permission_is_held_until_it_is_revoked() -> None:
    granted = after(admit(), permission("grant", "workflow.publish"))
    revoked = after(admit(), permission("grant", "workflow.publish"), permission("revoke", "workflow.publish"))

    assert granted.keys[MARIA.actor].permissions == {"workflow.publish"}
    assert revoked.keys[MARIA.actor].permissions == frozenset()


def test_roles_and_permissions_of_others_stay() -> None:
    registry = after(admit(), admit(ANA, KeyClass.PERSON, "ana", "analyst"), role("grant", "intake"))

    assert registry.keys[ANA.actor].roles == {"analyst"}


@pytest.mark.parametrize(
    ("step", "place"),
    [
        (role("grant", "intake"), "/input/role"),
        (role("revoke", "clerk"), "/input/role"),
        (permission("grant", "a.b"), "/input/permission"),
        (permission("revoke", "a.c"), "/input/permission"),
    ],
)
def test_a_change_that_changes_nothing_is_a_conflict(step: Step, place: str) -> None:
    registry = after(admit(MARIA, KeyClass.PERSON, "maria", "intake"), permission("grant", "a.b"))

    assert refusal(registry, step) == (RefusalCode.CONFLICT, place)


@pytest.mark.parametrize("action", ["grant", "revoke"])
def test_the_automation_role_is_never_granted_nor_revoked(action: str) -> None:
    answer = refusal(after(admit()), role(action, AUTOMATION_ROLE))

    assert answer == (RefusalCode.INVALID_INPUT, "/input/role")


def test_a_role_that_only_resembles_automation_is_another_role() -> None:
    assert refusal(after(admit()), role("grant", "automation")) is None


@pytest.mark.parametrize("name", [AUTOMATION_ROLE, "intake"])
@pytest.mark.parametrize("action", ["grant", "revoke"])
def test_a_key_of_class_automation_has_fixed_roles(action: str, name: str) -> None:
    registry = after(admit(ROBOT, KeyClass.AUTOMATION, "robot"))

    assert refusal(registry, role(action, name, ROBOT)) == (RefusalCode.INVALID_INPUT, "/input/key")


def test_an_engine_key_has_no_roles() -> None:
    registry = after(admit(ENGINE, KeyClass.ENGINE, "engine"), tenant=SYSTEM)

    assert refusal(registry, role("grant", "intake", ENGINE), SYSTEM) == (RefusalCode.INVALID_INPUT, "/input/key")


# Ends


@pytest.mark.parametrize(
    "step", [retire(), revoke(), role("grant", "intake"), permission("revoke", "workflow.publish")]
)
def test_a_key_that_was_never_admitted_cannot_change(step: Step) -> None:
    assert refusal(after(admit(ANA)), step) == (RefusalCode.INVALID_INPUT, "/input/key")


@pytest.mark.parametrize("step", [retire(), role("grant", "intake"), permission("grant", "workflow.publish")])
@pytest.mark.parametrize("end", [retire(), revoke()])
def test_a_key_that_has_ended_cannot_change(end: Step, step: Step) -> None:
    assert refusal(after(admit(), end), step) == (RefusalCode.CONFLICT, "/input/key")


def test_a_retired_key_may_still_be_revoked() -> None:
    registry = after(admit(), retire(), revoke(since=AT))

    actor = registry.keys[MARIA.actor]
    assert (actor.retired_at, actor.revoked_at, actor.compromised_since) == (2, 3, AT)


def test_a_key_is_revoked_once() -> None:
    assert refusal(after(admit(), revoke()), revoke(since=AT)) == (RefusalCode.CONFLICT, "/input/key")


def test_a_key_may_be_revoked_without_a_word_about_when_it_was_stolen() -> None:
    assert after(admit(), revoke()).keys[MARIA.actor].compromised_since is None


def test_every_key_may_end_even_the_last_administrator() -> None:
    # the root key, kept offline, can always admit another one
    registry = after(admit(MARIA, KeyClass.ACTOR_ADMIN))

    assert refusal(registry, retire()) is None


@pytest.mark.parametrize(
    ("retired_at", "revoked_at", "positions"),
    [
        (None, None, {2, 3, 4, 5, 6, 7}),
        (4, None, {2, 3}),
        (None, 4, {2, 3}),
        (4, 6, {2, 3}),
        (3, None, {2}),
        (2, None, set()),
    ],
)
def test_a_key_is_valid_from_its_admission_to_its_end(
    retired_at: int | None, revoked_at: int | None, positions: set[int]
) -> None:
    actor = an_actor(MARIA, admitted_at=2, retired_at=retired_at, revoked_at=revoked_at)

    assert {position for position in range(8) if actor.valid_at(position)} == positions


def test_a_valid_key_is_found_with_all_it_may_do() -> None:
    registry = after(admit(MARIA, KeyClass.PERSON, "maria", "intake"))

    assert registry.valid(MARIA.actor) == registry.keys[MARIA.actor]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([], RefusalCode.UNKNOWN_ACTOR),
        ([admit(), retire()], RefusalCode.KEY_RETIRED),
        ([admit(), revoke()], RefusalCode.KEY_REVOKED),
        ([admit(), retire(), revoke()], RefusalCode.KEY_REVOKED),
        ([admit(), retire(), admit(ANA)], RefusalCode.KEY_RETIRED),
        ([admit(), role("grant", "intake")], None),
    ],
)
def test_a_key_that_may_not_sign_is_refused_with_the_reason(steps: list[Step], code: RefusalCode | None) -> None:
    assert code_of(after(*steps).valid(MARIA.actor)) == code


def test_the_refusal_of_a_key_points_at_it() -> None:
    answer = ActorRegistry().valid(MARIA.actor)

    assert isinstance(answer, Refused)
    assert answer.pointer == "/key"


def test_the_root_key_administers_and_nothing_else() -> None:
    root = root_actor(ROOT.actor)

    assert (root.key_class, root.roles, root.permissions) == (KeyClass.ACTOR_ADMIN, frozenset(), frozenset())
    assert root.valid_at(0)


def test_a_command_that_nobody_knows_is_neither_decided_nor_taken() -> None:
    registry = after(admit())
    command = cast(ActorCommand, SimpleNamespace(key=MARIA.actor))

    with pytest.raises(AssertionError):
        decide(registry, "key.sell", command, tenant=TENANT)
    with pytest.raises(AssertionError):
        evolve(registry, "key.sell", command)


# Positions


NAMES = st.sampled_from([MARIA, ANA, ROBOT])
STEPS = st.one_of(
    st.builds(lambda key, label: admit(key, KeyClass.PERSON, label), NAMES, st.sampled_from("abc")),
    st.builds(succeed, NAMES, NAMES, st.sampled_from("abc")),
    st.builds(retire, NAMES),
    st.builds(revoke, NAMES),
    st.builds(lambda key: role("grant", "intake", key), NAMES),
)


@law
@given(st.lists(STEPS, max_size=12))
def test_what_was_valid_at_a_position_can_still_be_told_at_the_end(steps: list[Step]) -> None:
    history = [ActorRegistry()]
    for step in steps:
        if decide(history[-1], *step, tenant=TENANT) is None:
            history.append(evolve(history[-1], *step))

    for position, registry in enumerate(history):
        for key, actor in history[-1].keys.items():
            assert actor.valid_at(position) == (code_of(registry.valid(key)) is None)
        for key in registry.keys:
            assert {registry.line(other) for other in registry.line(key)} == {registry.line(key)}


@pytest.mark.parametrize("end", [retire(ENGINE), revoke(ENGINE)], ids=lambda step: step[0])
def test_the_last_engine_key_never_ends(end: Step) -> None:
    alone = after(admit(ENGINE, KeyClass.ENGINE, "engine"), admit(ROBOT, KeyClass.LOG, "log"), tenant=SYSTEM)
    succeeded = after(
        admit(ENGINE, KeyClass.ENGINE, "engine"), admit(ROBOT, KeyClass.ENGINE, "engine 2"), tenant=SYSTEM
    )

    assert refusal(alone, end, SYSTEM) == (RefusalCode.CONFLICT, "/input/key")
    assert refusal(succeeded, end, SYSTEM) is None


def test_an_engine_key_that_has_ended_succeeds_nobody() -> None:
    steps = (admit(ENGINE, KeyClass.ENGINE, "engine"), admit(ROBOT, KeyClass.ENGINE, "engine 2"), retire(ROBOT))

    assert refusal(after(*steps, tenant=SYSTEM), retire(ENGINE), SYSTEM) == (RefusalCode.CONFLICT, "/input/key")
    assert refusal(after(*steps, tenant=SYSTEM), revoke(ROBOT), SYSTEM) is None
