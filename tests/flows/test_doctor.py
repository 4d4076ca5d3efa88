"""`doctor` and `db check` as an operator runs them."""

from __future__ import annotations

import psycopg

from flows.commands import Place


def test_a_local_trial_works_and_is_told_what_is_weaker(workplace: Place, served: str) -> None:
    document = workplace.document("doctor")

    checks = document["checks"]
    assert isinstance(checks, list)
    levels = {check["check"]: check["level"] for check in checks if isinstance(check, dict)}
    assert document["well"] is True
    assert {check for check, level in levels.items() if level == "warn"} >= {"rights", "one machine", "root key"}
    assert levels["engine key"] == levels["automation key"] == "ok"


def test_an_own_key_that_is_not_admitted_is_told(workplace: Place, served: str) -> None:
    keys = workplace.home / "keys"
    env = {"ENGINE_SK_FILE": str(keys / "nobody.key"), "AUTOMATION_ACTOR_SK_FILE": str(keys / "no such.key")}

    done = workplace.run("doctor", env=env)

    assert done.code == 1
    assert "bad  engine key: the ENGINE key of this process cannot be used in system: no such key" in done.out
    assert "bad  automation key: the key file " in done.out


def test_a_changed_schema_is_told_until_it_is_as_before(workplace: Place, served: str) -> None:
    before = workplace.run("db", "check")
    with psycopg.connect(served, autocommit=True) as owner:
        owner.execute("ALTER TABLE sealwork.events DISABLE TRIGGER append_only")
        try:
            done, document = workplace.run("db", "check"), workplace.document("db", "check", code=1)
            examined = workplace.run("doctor")
        finally:
            owner.execute("ALTER TABLE sealwork.events ENABLE ALWAYS TRIGGER append_only")

    assert (before.code, before.out) == (0, "the schema is as the migrations make it\n")
    assert (done.code, done.out.splitlines()[0]) == (1, "trigger events.append_only")
    assert isinstance(document["differences"], list)
    assert len(document["differences"]) == 1
    assert (examined.code, "bad  triggers: not always on: those of events" in examined.out) == (1, True)
