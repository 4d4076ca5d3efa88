"""What the commands say about work rows: `work list`, `work show`."""

from __future__ import annotations

from uuid import UUID

import pytest

from command_line import CommandLine
from sealwork.domain.work.work_row import WorkRow, WorkStatus


@pytest.fixture
def busy(command_line: CommandLine) -> CommandLine:
    """The screening of c-1 is done and its deadline runs; that of c-2 was skipped; c-3 waits for the machine."""
    box = command_line.box
    for process in ("c-1", "c-2"):
        box.begin(process)
        box.take(process, "submit", "maria")
    box.take("c-2", "screen", "ana")
    box.take("c-2", "clear", "ana")
    box.fire_due()
    box.begin("c-3")
    box.take("c-3", "submit", "maria")
    return command_line


def row_of(command_line: CommandLine, process: str, action: str) -> WorkRow:
    (row,) = [row for row in command_line.box.rows(process) if row.action == action]
    return row


def listed(command_line: CommandLine, *arguments: str) -> list[tuple[str, str]]:
    """Process and action of each row in the document of `work list`."""
    document = command_line.document("work", "list", *arguments)
    assert isinstance(document, dict)
    assert isinstance(document["work"], list)
    return [(str(row["stream"]), str(row["action"])) for row in document["work"] if isinstance(row, dict)]


def test_list_tells_of_each_row_what_it_is_and_when_it_is_due(busy: CommandLine) -> None:
    ids = {key: row_of(busy, *key).id for key in (("c-1", "screen"), ("c-2", "screen"), ("c-3", "screen"))}
    deadlines = {process: row_of(busy, process, "escalate").id for process in ("c-1", "c-2")}

    result = busy("work", "list")

    never = f"{'-':<24}"
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[:3] == [
        f"pending    c-3  screen    automatic       due 2026-06-18 10:00:00Z  0 attempts  {ids['c-3', 'screen']}",
        f"active     c-1  escalate  timer deadline  due 2026-06-20 10:00:00Z  0 attempts  {deadlines['c-1']}",
        f"cancelled  c-2  escalate  timer deadline  {never}  0 attempts  {deadlines['c-2']}",
    ]
    assert sorted(result.stdout.splitlines()[3:]) == [
        f"completed  c-1  screen    automatic       {never}  1 attempt   {ids['c-1', 'screen']}",
        f"skipped    c-2  screen    automatic       {never}  1 attempt   {ids['c-2', 'screen']}"
        "  (wrong_state: screen needs ready; the process is in done)",
    ]


def test_list_gives_programs_whole_rows(busy: CommandLine) -> None:
    document = busy.document("work", "list", "--status", "active")

    row = row_of(busy, "c-1", "escalate")
    plain = row.model_dump(mode="json")
    assert document == {"work": [plain | {"due": plain["run_at"]}], "more": False}


def test_list_takes_statuses_and_a_process(busy: CommandLine) -> None:
    assert listed(busy, "--status", "pending", "--status", "active") == [
        ("process/c-3", "screen"),
        ("process/c-1", "escalate"),
    ]
    assert listed(busy, "--process", "c-3") == [("process/c-3", "screen")]
    assert listed(busy, "--process", "c-3", "--status", "failed") == []
    assert listed(busy, "--process", "nobody") == []


def test_list_says_that_there_is_more(busy: CommandLine) -> None:
    result, document = busy("work", "list", "--limit", "1"), busy.document("work", "list", "--limit", "1")

    assert result.stdout.splitlines()[1:] == ["there is more: write a larger --limit"]
    assert isinstance(document, dict)
    assert document["more"] is True
    assert "there is more" not in busy("work", "list", "--limit", "5").stdout


def test_list_says_that_there_is_no_work(busy: CommandLine) -> None:
    assert busy("--tenant", "globex", "work", "list").stdout == "no work\n"
    assert busy.document("work", "list", "--status", "failed") == {"work": [], "more": False}


def test_a_wrong_status_is_usage_and_the_statuses_are_named(command_line: CommandLine) -> None:
    result = command_line("work", "list", "--status", "broken")

    told = " ".join(result.stderr.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert [status for status in WorkStatus if status.value not in told] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--limit", "0"),
        ("list", "--limit", "10001"),
        ("list", "--process", "c\udcff"),
        ("show", "7"),
        ("show",),
    ],
    ids=lambda arguments: " ".join(arguments).encode(errors="replace").decode(),
)
def test_what_cannot_be_meant_is_usage(command_line: CommandLine, arguments: tuple[str, ...]) -> None:
    result = command_line("work", *arguments)

    assert (result.exit_code, result.stdout, command_line.places) == (2, "", [])


def test_show_prints_all_of_a_row_and_what_led_to_it(busy: CommandLine) -> None:
    row = row_of(busy, "c-1", "escalate")

    result = busy("work", "show", str(row.id))

    assert result.stdout.splitlines() == [
        f"{row.id}  active",
        "  process    c-1",
        "  action     escalate",
        "  kind       timer deadline",
        "  due        2026-06-20 10:00:00Z",
        "  planned    2026-06-20 10:00:00Z",
        "  occurrence 1",
        '  data       {"reason": "sla"}',
        "  depth      0",
        "  attempts   0",
        "  caused by  screen, 2026-06-18 10:00:00Z",
        f"  event      {row.caused_by.event_hash}",
        f"  actor      {row.caused_by.actor}",
        "why:",
        "c-1 3: screen by automation, 2026-06-18 10:00:00Z",
        "   because submit led to ready, where it acts by itself",
        "   c-1 2: submit by maria, 2026-06-18 10:00:00Z",
    ]


def test_show_says_what_became_of_a_row(busy: CommandLine) -> None:
    fired, skipped = row_of(busy, "c-1", "screen"), row_of(busy, "c-2", "screen")

    of_fired, of_skipped = busy("work", "show", str(fired.id)), busy("work", "show", str(skipped.id))

    assert f"  fired as   {fired.fired_event_hash}\n" in of_fired.stdout
    assert "  due        -\n" in of_fired.stdout
    assert "  in state   ready\n" in of_fired.stdout
    assert "  error      wrong_state: screen needs ready; the process is in done\n" in of_skipped.stdout
    assert "fired as" not in of_skipped.stdout


def test_show_gives_programs_the_row_and_the_ladder(busy: CommandLine) -> None:
    row = row_of(busy, "c-3", "screen")

    document, why = busy.document("work", "show", str(row.id)), busy.document("why", "c-3", str(row.id))

    plain = row.model_dump(mode="json")
    assert isinstance(why, dict)
    assert document == {"work": plain | {"due": plain["run_at"]}, "rungs": why["rungs"]}


def test_an_unknown_row_is_not_found(busy: CommandLine) -> None:
    row = row_of(busy, "c-3", "screen")

    unknown = busy.refusal("work", "show", str(UUID(int=7)), code=3)
    elsewhere = busy.refusal("--tenant", "globex", "work", "show", str(row.id), code=3)

    assert [(refusal["code"], refusal["pointer"]) for refusal in (unknown, elsewhere)] == [
        ("no_process", "/work_id")
    ] * 2


@pytest.mark.parametrize("id_", ["7", "trip-1", ""])
def test_what_is_no_id_of_a_row_is_told_with_where_to_find_one(id_: str, command_line: CommandLine) -> None:
    result = command_line("work", "show", id_)

    told = " ".join(result.stderr.replace("│", " ").split())
    assert (result.exit_code, result.stdout, command_line.places) == (2, "", [])
    assert f"{id_!r} is no id of a work row: `sealwork work list` shows them" in told


def test_a_row_is_shown_even_if_its_cause_is_gone(busy: CommandLine) -> None:
    row = row_of(busy, "c-3", "screen")
    busy.box.events("process/c-3").pop()

    result = busy("work", "show", str(row.id))

    assert result.exit_code == 5
    assert result.stdout.startswith(f"{row.id}  pending\n")
    assert "chain_broken" in result.stderr


def test_what_users_wrote_does_not_reach_the_terminal_as_it_is(command_line: CommandLine) -> None:
    box = command_line.box
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    work = box.tables.work_of("acme", str(box.rows("c-1")[0].id))
    assert work is not None
    work.change(data={"note": "a\x9bb"}, last_error="a\x1b[31m")

    result = command_line("work", "list")
    alone = command_line("work", "show", str(work.row.id))

    assert "(a\\x1b[31m)" in result.stdout
    assert not {"\x1b", "\x9b"} & {*result.output, *alone.output}


def test_log_tells_what_was_tried_and_why_it_came_to_nothing(busy: CommandLine) -> None:
    fired, skipped = row_of(busy, "c-1", "screen").id, row_of(busy, "c-2", "screen").id

    whole, of_one = busy("work", "log"), busy("work", "log", "--process", "c-2")

    assert sorted(whole.stdout.splitlines()) == [
        f"2026-06-18 10:00:00Z  accepted  c-1  screen  occurrence 1, attempt 1  {fired}",
        f"2026-06-18 10:00:00Z  skipped   c-2  screen  occurrence 1, attempt 1  {skipped}"
        "  (wrong_state: screen needs ready; the process is in done)",
    ]
    assert [str(skipped) in line for line in of_one.stdout.splitlines()] == [True]


def test_log_gives_programs_whole_attempts(busy: CommandLine) -> None:
    document = busy.document("work", "log", "--process", "c-1")

    row = row_of(busy, "c-1", "screen")
    attempt = {"work_id": str(row.id), "occurrence": 1, "number": 1, "result": "accepted", "reason": None}
    assert isinstance(document, dict)
    assert isinstance(document["attempts"], list)
    (told,) = document["attempts"]
    assert isinstance(told, dict)
    assert attempt.items() <= told.items()
    assert told["fired_event_hash"] == row.fired_event_hash


def test_log_says_that_nothing_was_tried(command_line: CommandLine) -> None:
    assert command_line("work", "log").stdout == "nothing was tried\n"
    assert command_line.document("work", "log") == {"attempts": []}
