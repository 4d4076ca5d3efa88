"""Keys on the command line: made, proven, admitted, granted, checked, shown for a while."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command_line import CommandLine, written
from sealing import ORIGIN, accepted, key_of
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.token import read_token

ANOTHER: JsonObject = {
    "origin": "other.example/log",
    "tenant": "globex",
    "class": "SERVICE",
    "label": "eve",
}
"""Members of a proof of another admission."""


def proof_of(command_line: CommandLine, name: str = "eva", *more: str) -> JsonObject:
    """What the holder of a new key prints."""
    command_line("keys", "new", name)
    document = json.loads(command_line("keys", "prove", name, *more).stdout)
    assert isinstance(document, dict)
    return document


def test_a_new_key_is_printed_and_admitted_nowhere(command_line: CommandLine) -> None:
    before = command_line.box.picture()

    result, again = command_line("keys", "new", "eva"), command_line("keys", "new", "eva")

    assert (result.exit_code, result.stdout) == (0, f"{key_of('eva').actor}\n")
    assert "a key is never overwritten" in str(again.exception)
    assert command_line.document("keys", "new", "omar") == {"name": "omar", "key": key_of("omar").actor}
    assert command_line.box.picture() == before


def test_a_key_that_another_holds_is_admitted_by_its_proof(command_line: CommandLine, tmp_path: Path) -> None:
    proof = written(tmp_path, proof_of(command_line))
    command_line.names.remove("eva")

    result = command_line("keys", "admit", "eva", "--proof", proof, "--role", "intake")

    eva = command_line.box.show_actors("acme").keys[key_of("eva").actor]
    assert result.stdout == f"admitted eva as PERSON: {eva.key}\n"
    assert (eva.label, eva.key_class, eva.roles) == ("eva", KeyClass.PERSON, frozenset({"intake"}))
    assert "eva" not in command_line.names


def test_a_key_is_admitted_as_the_next_of_its_holder_and_listed_so(
    command_line: CommandLine, tmp_path: Path
) -> None:
    proof = written(tmp_path, proof_of(command_line))
    maria = key_of("maria").actor

    admitted = command_line("keys", "admit", "eva", "--proof", proof, "--succeeds", "maria")
    again = command_line.refusal("keys", "admit", "omar", "--succeeds", maria, code=4)

    assert admitted.exit_code == 0
    (line,) = [line for line in command_line("keys", "list").stdout.splitlines() if line.startswith("eva ")]
    assert line.endswith(f"{key_of('eva').actor}  -  succeeds {maria}")
    assert line in command_line("keys", "check", "eva").stdout
    listed = command_line.document("keys", "list")
    assert isinstance(listed, list)
    assert [each["succeeds"] for each in listed if isinstance(each, dict) and each["label"] == "eva"] == [maria]
    assert (again["code"], again["pointer"]) == ("conflict", "/input/succeeds")


def test_who_succeeds_somebody_that_nobody_knows_is_not_admitted(command_line: CommandLine) -> None:
    refusal = command_line.refusal("keys", "admit", "omar", "--succeeds", "nobody")

    assert (refusal["code"], refusal["pointer"]) == ("unknown_actor", None)
    assert "omar" not in command_line.names


@pytest.mark.parametrize(
    "wish", [("--role", "two words"), ("--class", "ENGINE"), ("--by", "maria"), ("--by", "nobody")], ids=" ".join
)
def test_a_new_key_that_is_refused_is_gone(wish: tuple[str, ...], command_line: CommandLine) -> None:
    assert command_line("keys", "admit", "omar", *wish).exit_code != 0
    assert "omar" not in command_line.names

    assert command_line("keys", "admit", "omar", "--role", "intake").exit_code == 0
    assert "omar" in command_line.names


def test_a_key_that_was_there_before_stays_when_it_is_refused(command_line: CommandLine) -> None:
    command_line("keys", "new", "omar")

    command_line.refusal("keys", "admit", "omar", "--role", "two words")

    assert "omar" in command_line.names


def test_a_new_key_of_which_nobody_knows_whether_it_was_admitted_stays(command_line: CommandLine) -> None:
    def the_line_goes_dead() -> None:
        raise Unavailable("the database did not answer")

    command_line.box.open_log.before_append = iter([the_line_goes_dead])

    assert isinstance(command_line("keys", "admit", "omar").exception, Unavailable)
    assert "omar" in command_line.names


def test_a_new_key_that_another_admitted_meanwhile_stays(command_line: CommandLine) -> None:
    box = command_line.box
    box.open_log.before_append = iter([lambda: box.admit("omar")])

    command_line("keys", "admit", "omar")

    assert key_of("omar").actor in box.show_actors("acme").keys
    assert "omar" in command_line.names


def test_a_proof_is_the_same_document_with_json(command_line: CommandLine) -> None:
    proof = proof_of(command_line, "eva", "--class", "SERVICE")

    assert command_line.document("keys", "prove", "eva", "--class", "SERVICE") == proof
    assert proof.keys() == {"v", "origin", "tenant", "key", "class", "label", "proof"}
    assert (proof["origin"], proof["tenant"], proof["class"]) == (ORIGIN, "acme", "SERVICE")


@pytest.mark.parametrize("member", [*ANOTHER, "key", "proof"])
def test_a_proof_of_another_admission_is_refused_at_the_member_that_differs(
    member: str, command_line: CommandLine, tmp_path: Path
) -> None:
    proof = proof_of(command_line)
    others: JsonObject = {"key": key_of("ana's second").actor, "proof": key_of("eva").sign(b"another").hex()}
    file = written(tmp_path, proof | {member: (ANOTHER | others)[member]})

    refusal = command_line.refusal("keys", "admit", "eva", "--proof", file)

    place = "/input/proof" if member in others else f"/{member}"
    assert (refusal["code"], refusal["pointer"]) == ("invalid_input", place)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("{", ("not_canonical", None)),
        ("[]", ("invalid_input", "")),
        ("{}", ("invalid_input", "/origin")),
        ('{"v": 2}', ("invalid_input", "/v")),
        ("nested", ("invalid_input", "/origin")),
    ],
)
def test_a_file_that_is_no_proof_is_refused(
    text: str, refusal: tuple[str, str | None], command_line: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "proof.json").write_text('{"key": {"a": {}}}' if text == "nested" else text)

    document = command_line.refusal("keys", "admit", "eva", "--proof", str(tmp_path / "proof.json"))

    assert (document["code"], document["pointer"]) == refusal


def test_what_cannot_be_a_label_is_not_proven(command_line: CommandLine) -> None:
    command_line.names.add("eva!")

    refusal = command_line.refusal("keys", "prove", "eva!")

    assert (refusal["code"], refusal["pointer"]) == ("invalid_input", "/label")


@pytest.mark.parametrize(("option", "right"), [("--role", "officer"), ("--permission", "workflow.publish")])
def test_a_right_is_granted_and_withdrawn(option: str, right: str, command_line: CommandLine) -> None:
    def rights() -> frozenset[str]:
        maria = command_line.box.show_actors("acme").keys[key_of("maria").actor]
        return maria.roles | maria.permissions

    granted = command_line("keys", "grant", "maria", option, right)
    assert (granted.stdout, rights()) == (f"granted {right} to maria\n", frozenset({"intake", right}))
    refusal = command_line.refusal("keys", "grant", "maria", option, right, code=4)
    assert refusal["code"] == "conflict"

    withdrawn = command_line("keys", "withdraw", "maria", option, right)
    assert (withdrawn.stdout, rights()) == (f"withdrew {right} from maria\n", frozenset({"intake"}))
    assert command_line.refusal("keys", "withdraw", "maria", option, right, code=4)["code"] == "conflict"


@pytest.mark.parametrize("command", ["grant", "withdraw"])
@pytest.mark.parametrize("options", [(), ("--role", "a", "--permission", "b.c")], ids=["none", "both"])
def test_one_right_is_changed_at_a_time(command: str, options: tuple[str, ...], command_line: CommandLine) -> None:
    result = command_line("keys", command, "maria", *options)

    assert (result.exit_code, result.stdout, command_line.places) == (2, "", [])
    assert "one --role or one --permission" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "refusal"),
    [
        (("keys", "grant", "nobody", "--role", "a"), 1, ("unknown_actor", None)),
        (("keys", "grant", "maria", "--role", "two words"), 1, ("invalid_input", "/input/role")),
        (("keys", "grant", "maria", "--role", "AUTOMATION"), 1, ("invalid_input", "/input/role")),
        (("keys", "grant", "maria", "--permission", "x"), 1, ("invalid_input", "/input/permission")),
        (("keys", "withdraw", "maria", "--role", "intake", "--by", "ana"), 1, ("permission", "/key")),
        (("keys", "token", "maria", "--for", "25h"), 1, ("invalid_input", "/not_after")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) and len(value) > 2 else None,
)
def test_a_change_that_cannot_be_is_refused(
    arguments: tuple[str, ...], code: int, refusal: tuple[str, str | None], command_line: CommandLine
) -> None:
    document = command_line.refusal(*arguments, code=code)

    assert (document["code"], document["pointer"]) == refusal


def test_a_key_in_order_says_who_it_is(command_line: CommandLine) -> None:
    result, document = command_line("keys", "check", "maria"), command_line.document("keys", "check", "maria")

    assert (result.exit_code, result.stdout) == (
        0,
        f"maria            PERSON       valid    {key_of('maria').actor}  intake\n",
    )
    assert isinstance(document, dict)
    assert (document["key"], document["roles"]) == (key_of("maria").actor, ["intake"])


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("eva", None, "no such key is admitted here: .* let an administrator admit it"),
        ("maria", "retire", r"the key of maria was retired: .*`sealwork keys new`"),
        ("maria", "revoke", r"the key of maria was revoked: .*`sealwork keys new`"),
    ],
)
def test_a_key_that_cannot_be_used_says_what_to_do(
    name: str, how: str | None, said: str, command_line: CommandLine
) -> None:
    box = command_line.box
    command_line("keys", "new", "eva")
    if how is not None:
        accepted(getattr(box.actors, how)("acme", box.key(name).actor, box.key("admin")))

    result = command_line("keys", "check", name)

    assert isinstance(result.exception, Misconfigured)
    assert re.search(said, str(result.exception))


@pytest.mark.parametrize("lasting", [(), ("--for", "24h"), ("--for", "1m")], ids=" ".join)
def test_a_token_shows_who_holds_a_key(lasting: tuple[str, ...], command_line: CommandLine) -> None:
    text, document = (
        command_line("keys", "token", "maria", *lasting).stdout.strip(),
        command_line.document("keys", "token", "maria", *lasting),
    )

    now = command_line.box.clock.now()
    assert (
        read_token(text, now, origin=ORIGIN, tenant="acme", verify=Ed25519Verifier().verify)
        == key_of("maria").actor
    )
    assert document == {"token": text}


@pytest.mark.parametrize(
    "since", ["", "yesterday", "2026-06-18", "2026-06-18T10:00:00", "2026-06-18 10:00:00Z", "2026-06-31T10:00:00Z"]
)
def test_a_key_is_not_revoked_as_of_what_is_no_instant(since: str, command_line: CommandLine) -> None:
    """A key is revoked once: an empty variable must not leave out since when."""
    before = command_line.box.picture()

    result = command_line("keys", "revoke", "maria", "--compromised-since", since)

    told = " ".join(result.stderr.replace("│", " ").split())
    assert (result.exit_code, result.stdout, command_line.box.picture()) == (2, "", before)
    assert (
        f"Invalid value for '--compromised-since': {since!r} is not an instant: write it with its offset" in told
    )


@pytest.mark.parametrize("since", ["2026-06-18T09:00:00Z", "2026-06-18T11:00:00+02:00"])
def test_a_key_is_revoked_as_of_an_instant_however_it_is_written(since: str, command_line: CommandLine) -> None:
    command_line("keys", "revoke", "maria", "--compromised-since", since)

    maria = command_line.box.show_actors("acme").keys[key_of("maria").actor]
    assert maria.compromised_since == "2026-06-18T09:00:00.000000Z"


@pytest.mark.parametrize("lasting", ["", "soon", "1", "0m", "3bd", "-1h"])
def test_a_duration_that_is_none_is_usage(lasting: str, command_line: CommandLine) -> None:
    result = command_line("keys", "token", "maria", "--for", lasting)

    assert (result.exit_code, result.stdout) == (2, "")
