"""What the commands say about processes, in words and as one JSON document, done or refused; and of all: usage."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from typer.main import get_command

from command_line import CommandLine
from sealwork.adapters.cli.app import app
from sealwork.adapters.cli.desk import Place
from sealwork.application.proof.explain import Ladder
from sealwork.application.proof.verify import NOT_PROVEN
from sealwork.domain.ledger.record import record_hash


def began(command_line: CommandLine) -> CommandLine:
    """Maria has begun c-1 and handed it in."""
    command_line.box.begin("c-1")
    command_line.box.take("c-1", "submit", "maria", {"country": "SE\x1b[31m"})
    return command_line


def overdue(command_line: CommandLine) -> CommandLine:
    """The machine has screened c-1, and its deadline has passed."""
    began(command_line).box.fire_due()
    command_line.box.wait(timedelta(hours=49))
    return command_line


def test_start_begins_a_process_and_prints_its_receipt(command_line: CommandLine) -> None:
    document = command_line.document("start", "customer/onboarding", "c-1", "--as", "maria", "--input", '{"n":1}')

    receipt = command_line.box.events("process/c-1")[0].receipt
    assert document == {
        "duplicate": False,
        "tenant": "acme",
        "stream": "process/c-1",
        "seq": 1,
        "hash": receipt.hash,
        "record": receipt.record.decode(),
        "record_sig": receipt.record_sig.hex(),
    }
    assert record_hash(receipt.record) == receipt.hash


def test_start_says_where_the_process_stands(command_line: CommandLine) -> None:
    result = command_line("start", "customer/onboarding@1", "c-1", "--as", "maria")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("process/c-1 event 1 -> draft\n  hash ")


def test_act_takes_an_action(command_line: CommandLine) -> None:
    command_line.box.begin("c-1")

    document = command_line.document("act", "c-1", "submit", "--as", "maria")

    assert isinstance(document, dict)
    assert (document["seq"], document["hash"]) == (2, command_line.box.events("process/c-1")[1].hash)


def test_act_reads_its_input_from_standard_input(command_line: CommandLine) -> None:
    command_line.box.begin("c-1")

    result = command_line("act", "c-1", "submit", "--as", "maria", "--input", "-", stdin='{"country": "SE"}')

    assert result.exit_code == 0
    assert b'"input":{"country":"SE"}' in (command_line.box.events("process/c-1")[1].intent or b"")


@pytest.mark.parametrize(
    ("arguments", "code", "refusal"),
    [
        (("start", "customer/other", "c-2", "--as", "maria"), 3, ("definition_mismatch", "/definition")),
        (("start", "customer/onboarding@9", "c-2", "--as", "maria"), 3, ("definition_mismatch", "/definition")),
        (("start", "customer/onboarding", "c-2", "--as", "ana"), 1, ("wrong_role", "/key")),
        (("start", "customer/onboarding", "prc_2", "--as", "maria"), 1, ("invalid_input", "/stream")),
        (("start", "customer/onboarding", "c 2", "--as", "maria"), 1, ("invalid_input", "/stream")),
        (("start", "customer/onboarding", "c-1", "--as", "maria"), 1, ("wrong_state", "/action")),
        (("start", "customer/onboarding", "c-2", "--as", "maria", "--action", "x"), 3, ("no_process", "/stream")),
        (("start", "customer/onboarding", "c-2", "--as", "maria", "--input", "{"), 1, ("not_canonical", None)),
        (("act", "c-1", "fly", "--as", "maria"), 1, ("no_action", "/action")),
        (("act", "c-1", "submit", "--as", "maria"), 1, ("wrong_state", "/action")),
        (("act", "c-1", "clear", "--as", "maria"), 1, ("wrong_role", "/key")),
        (("act", "c-1", "screen", "--as", "automation"), 1, ("reserved_input", "/input/meta/automation")),
        (("act", "c-1", "submit", "--as", "engine"), 1, ("unknown_actor", "/key")),
        (("act", "c-2", "submit", "--as", "maria"), 3, ("no_process", "/stream")),
        (("act", "c-1", "submit", "--as", "maria", "--input", "[]"), 1, ("invalid_input", "/input")),
        (
            ("act", "c-1", "submit", "--as", "maria", "--input", '{"_automation": 1}'),
            1,
            ("reserved_input", "/input/_automation"),
        ),
        (("--tenant", "globex", "act", "c-1", "submit", "--as", "maria"), 3, ("no_process", "/stream")),
        (("show", "c-2"), 3, ("no_process", "/stream")),
        (("timeline", "c-2"), 3, ("no_process", "/stream")),
        (("def", "show", "customer/other"), 3, ("definition_mismatch", "/definition")),
        (("keys", "admit", "newcomer", "--by", "maria"), 1, ("permission", "/key")),
        (("keys", "admit", "newcomer", "--role", "two words"), 1, ("invalid_input", "/input/roles/0")),
        (("keys", "admit", "newcomer", "--class", "ENGINE"), 1, ("invalid_input", "/input/class")),
        (("keys", "admit", "maria"), 4, ("conflict", "/input/key")),
        (("keys", "retire", "root"), 1, ("unknown_actor", None)),
        (("keys", "revoke", "maria", "--by", "ana"), 1, ("permission", "/key")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) and len(value) > 2 else None,
)
def test_a_refusal_is_one_document_with_code_and_place_and_its_own_exit_code(
    arguments: tuple[str, ...], code: int, refusal: tuple[str, str | None], command_line: CommandLine
) -> None:
    document = began(command_line).refusal(*arguments, code=code)

    assert (document["code"], document["pointer"]) == refusal
    assert document["detail"]


def test_a_refusal_in_words_stands_on_stderr(command_line: CommandLine) -> None:
    result = began(command_line)("act", "c-1", "clear", "--as", "maria")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "refused: wrong_role at /key\n  clear needs the role analyst; the actor has intake\n"


def test_show_prints_a_process(command_line: CommandLine) -> None:
    overdue(command_line)
    event = command_line.box.events("process/c-1")[-1]

    result, document = command_line("show", "c-1"), command_line.document("show", "c-1")

    assert result.stdout.splitlines() == [
        "c-1  screening",
        "  workflow  customer/onboarding@1",
        f"  event     3  {event.hash}",
        '  data      screening = "started"',
        "  automatic screen  completed",
        "  timer     deadline: escalate at 2026-06-20 10:00:00Z  active",
    ]
    assert isinstance(document, dict)
    assert (document["state"], document["seq"], document["hash"]) == ("screening", 3, event.hash)


def test_show_says_why_a_row_was_skipped(command_line: CommandLine) -> None:
    began(command_line).box.take("c-1", "screen", "ana")
    command_line.box.fire_due()

    result = command_line("show", "c-1")

    assert "  automatic screen  skipped  (wrong_state: screen needs ready;" in result.stdout


def test_timeline_prints_who_what_when_and_why(command_line: CommandLine) -> None:
    overdue(command_line).box.fire_due()

    result, document = command_line("timeline", "c-1"), command_line.document("timeline", "c-1")

    assert result.stdout.splitlines() == [
        "  1  2026-06-18 10:00:00Z  maria        start                -> draft",
        "  2  2026-06-18 10:00:00Z  maria        submit               -> ready",
        '       with    {"country": "SE\\u001b[31m"}',
        "       then    auto screen",
        "  3  2026-06-18 10:00:00Z  automation   screen               -> screening",
        "       because submit led to ready, where it acts by itself",
        "       then    schedule deadline at 2026-06-20T10:00:00.000000Z",
        "  4  2026-06-20 11:00:00Z  automation   escalate             -> escalated",
        '       with    {"reason": "sla"}',
        "       because timer deadline, set by screen, was due 2026-06-20T10:00:00.000000Z",
    ]
    assert isinstance(document, list)
    assert [entry["seq"] for entry in document if isinstance(entry, dict)] == [1, 2, 3, 4]


def test_why_leads_back_to_the_person(command_line: CommandLine) -> None:
    overdue(command_line).box.fire_due()
    row = command_line.box.rows("c-1")[-1]

    last, first = command_line("why", "c-1"), command_line("why", "c-1", "1")
    of_row = command_line("why", "c-1", str(row.id))

    ladder = [
        "c-1 3: screen by automation, 2026-06-18 10:00:00Z",
        "   because submit led to ready, where it acts by itself",
        "   c-1 2: submit by maria, 2026-06-18 10:00:00Z",
    ]
    assert last.stdout.splitlines() == [
        "c-1 4: escalate by automation, 2026-06-20 11:00:00Z",
        "   because timer deadline, set by screen, was due 2026-06-20T10:00:00.000000Z",
        *(f"   {line}" for line in ladder),
    ]
    assert first.stdout == "c-1 1: start by maria, 2026-06-18 10:00:00Z\n"
    assert of_row.stdout.splitlines() == [
        "timer     deadline: escalate at 2026-06-20 10:00:00Z  exhausted",
        *(f"   {line}" for line in ladder),
    ]


def test_why_prints_the_ladder_as_one_document(command_line: CommandLine) -> None:
    overdue(command_line).box.fire_due()

    document = command_line.document("why", "c-1")

    assert isinstance(document, dict)
    ladder = Ladder.model_validate(document)
    assert [rung.event.seq for rung in ladder.rungs] == [4, 3, 2]


@pytest.mark.parametrize("asked", ["x", "-1", "1.5", "9" * 10])
def test_why_of_neither_a_number_nor_a_row_is_usage(command_line: CommandLine, asked: str) -> None:
    result = command_line("why", "c-1", "--", asked)

    assert result.exit_code == 2
    assert "write the number of an event" in " ".join(result.stderr.split())


def test_worker_fires_what_is_due_and_says_so(command_line: CommandLine) -> None:
    result = began(command_line)("worker", "--once")

    assert (result.exit_code, result.stdout) == (0, "process/c-1 screen  completed\n")


def test_worker_prints_its_attempts_as_one_document(command_line: CommandLine) -> None:
    began(command_line).box.take("c-1", "screen", "ana")

    document = command_line.document("worker", "--once")

    assert isinstance(document, list)
    (attempt,) = document
    assert isinstance(attempt, dict)
    assert isinstance(attempt["refused"], dict)
    assert (attempt["became"], attempt["refused"]["code"]) == ("skipped", "wrong_state")


def test_worker_prints_the_receipt_of_what_it_fired(command_line: CommandLine) -> None:
    document = began(command_line).document("worker", "--once")

    assert isinstance(document, list)
    (attempt,) = document
    assert isinstance(attempt, dict)
    assert isinstance(attempt["receipt"], dict)
    event = command_line.box.events("process/c-1")[-1]
    assert (attempt["became"], attempt["receipt"]["hash"]) == ("completed", event.hash)


def test_worker_says_why_an_attempt_was_refused(command_line: CommandLine) -> None:
    began(command_line).box.take("c-1", "screen", "ana")

    result = command_line("worker", "--once")

    assert result.stdout == (
        "process/c-1 screen  skipped  (wrong_state: screen needs ready; the process is in screening)\n"
    )


def test_worker_says_that_nothing_is_due(command_line: CommandLine) -> None:
    assert command_line("worker", "--once").stdout == "nothing is due\n"
    assert command_line.document("worker", "--once") == []


def test_worker_asks_for_once(command_line: CommandLine) -> None:
    result = command_line("worker")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "--once" in result.stderr


def test_verify_prints_what_it_checked_and_what_that_does_not_prove(command_line: CommandLine) -> None:
    result = began(command_line)("verify")

    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[2:4]) == (0, ["nothing wrong was found", "not proven:"])
    assert lines[4:] == [f"  - {gap}" for gap in NOT_PROVEN]
    assert lines[1] == "decided 9 of them again, and held 1 work rows against their events"
    assert "9 events in 4 chains" in lines[0]


def test_verify_prints_its_report_as_one_document(command_line: CommandLine) -> None:
    document = began(command_line).document("verify")

    assert document == {
        "streams": 4,
        "events": 9,
        "decided": 9,
        "rows": 1,
        "suppressed": 0,
        "others": False,
        "findings": [],
        "not_proven": list(NOT_PROVEN),
        "intact": True,
    }


def test_verify_checks_one_process_and_says_that_there_are_others(command_line: CommandLine) -> None:
    result = began(command_line)("verify", "c-1")

    assert result.exit_code == 0
    assert "anything about other processes" in result.stdout
    assert command_line("verify", "c-7").exit_code == 5
    assert command_line("verify", "c-1", "--bundle", "b.zip").exit_code == 2


def test_verify_leaves_with_a_code_of_its_own_when_it_finds_tampering(command_line: CommandLine) -> None:
    began(command_line).box.alter("process/c-1", 2, intent=b"{}")

    result, document = command_line("verify"), command_line.document("verify", code=5)

    assert result.exit_code == 5
    assert "TAMPERING intent_unreadable: acme process/c-1 event 2: " in result.stdout
    assert "nothing wrong" not in result.stdout
    assert "not proven:" in result.stdout
    assert isinstance(document, dict)
    assert document["intact"] is False


def test_act_leaves_with_that_code_too_when_the_chain_is_broken(command_line: CommandLine) -> None:
    began(command_line).box.chain("process/c-1").state = b"{}"

    refusal = command_line.refusal("act", "c-1", "screen", "--as", "ana", code=5)

    assert (refusal["code"], refusal["pointer"]) == ("chain_broken", "/stream")


def test_flags_say_where(command_line: CommandLine) -> None:
    command_line("--home", "over/there", "--tenant", "globex", "demo")
    command_line("demo")

    assert command_line.places == [Place(home=Path("over/there"), tenant="globex"), Place(home=None, tenant=None)]


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("start",),
        ("act", "c-1", "submit"),
        ("act", "c-1", "submit", "--as", "maria", "--input", "@/no/such/file"),
        ("def", "publish", "/no/such/file"),
        ("def", "show", "a@b"),
        ("keys", "admit", "x", "--class", "KING"),
        ("verify", "--more"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_a_matter_of_usage(arguments: tuple[str, ...], command_line: CommandLine) -> None:
    result = command_line(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert command_line.places == []


def test_what_users_wrote_does_not_reach_the_terminal_as_it_is(command_line: CommandLine) -> None:
    began(command_line)
    for arguments in (("show", "c\x1b[31m"), ("act", "c-1", "fly\x1b[31m", "--as", "maria")):
        result = command_line(*arguments)
        assert result.exit_code in (1, 3)
        assert "\x1b" not in result.output


def test_every_command_but_the_demo_can_print_json() -> None:
    def options(command: object) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, inner in getattr(command, "commands", {}).items():
            deeper = options(inner)
            found |= {f"{name} {rest}": names for rest, names in deeper.items()}
            if not deeper:
                found[name] = {option for parameter in inner.params for option in parameter.opts}
        return found

    silent = {name for name, names in options(get_command(app)).items() if "--json" not in names}

    assert silent == {"demo"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "c\udcff"),
        ("timeline", "c\udcff"),
        ("act", "c\udcff", "submit", "--as", "maria"),
        ("start", "customer/\udcff", "c-2", "--as", "maria"),
        ("def", "show", "customer/\udcff"),
        ("show", "c" * 201),
    ],
    ids=lambda arguments: " ".join(arguments[:2]).encode(errors="replace").decode()[:40],
)
def test_an_argument_that_is_no_text_is_usage(arguments: tuple[str, ...], command_line: CommandLine) -> None:
    result = began(command_line)(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
