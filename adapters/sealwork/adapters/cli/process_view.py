"""How processes, events, attempts and reports look to a person."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sealwork.adapters.cli.output import plain, say
from sealwork.application.proof.explain import Ladder
from sealwork.application.proof.export_bundle import Exported
from sealwork.application.proof.show_process import ProcessView, TimelineEntry, told_effect
from sealwork.application.proof.verify import Report
from sealwork.application.proof.verify_bundle import BundleReport
from sealwork.application.work.fire_work import Fired
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.record import Record, parse_record
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.work.work_row import WorkKind, WorkRow


def when(instant: datetime) -> str:
    """Return an instant to the second, in UTC."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def print_receipt(answer: Appended) -> None:
    """Print where an event stands now."""
    receipt = answer.receipt
    record = parse_record(receipt.record)
    state = f" -> {record.state.name}" if isinstance(record, Record) else ""
    repeated = " (stood already)" if answer.duplicate else ""
    say(f"{receipt.stream} event {receipt.seq}{state}{repeated}")
    for effect in record.effects if isinstance(record, Record) else ():
        say(f"  then {told_effect(effect)}", style="dim")
    say(f"  hash {receipt.hash}", style="dim")


def receipt_json(answer: Appended) -> JsonObject:
    """Return a receipt with its signed bytes as they are, so that they can be kept and checked."""
    receipt = answer.receipt
    return {
        "duplicate": answer.duplicate,
        "tenant": receipt.tenant,
        "stream": receipt.stream,
        "seq": receipt.seq,
        "hash": receipt.hash,
        "record": receipt.record.decode(),
        "record_sig": receipt.record_sig.hex(),
    }


def print_process(view: ProcessView) -> None:
    """Print where a process stands and what waits for it."""
    workflow = view.workflow
    say(f"{view.process_id}  {view.state}", style="bold")
    say(f"  workflow  {workflow.path}@{workflow.version}")
    say(f"  event     {view.seq}  {view.hash}")
    for name, value in view.data.items():
        say(f"  data      {name} = {json.dumps(value, ensure_ascii=False)}")
    for row in view.work:
        say(f"  {told_work(row)}")


def told_work(row: WorkRow) -> str:
    """Return one line about a work row."""
    if row.kind is WorkKind.SCHEDULED_ACTION:
        told = f"timer     {row.schedule_id}: {row.action} at {when(row.run_at)}  {row.status}"
    else:
        told = f"automatic {row.action}  {row.status}"
    return f"{told}  ({row.last_error})" if row.last_error else told


def print_timeline(entries: Iterable[TimelineEntry]) -> None:
    """Print events, oldest first; below each automated one why it happened."""
    for entry in entries:
        say(f"{entry.seq:>3}  {when(entry.at)}  {entry.label:<12} {entry.action:<20} -> {entry.state}")
        given = {name: value for name, value in entry.input.items() if name != "meta"}
        if given:
            say(f"       with    {json.dumps(given, ensure_ascii=False)}", style="dim")
        if entry.why is not None:
            say(f"       because {told_why(entry.why)}", style="dim")
        for effect in entry.effects:
            say(f"       then    {effect}", style="dim")


def print_ladder(ladder: Ladder) -> None:
    """Print what led to something, the nearest first, each below its consequence."""
    if ladder.work is not None:
        say(told_work(ladder.work))
    for depth, rung in enumerate(ladder.rungs, start=ladder.work is not None):
        event = rung.event
        say(f"{'   ' * depth}{rung.process_id} {event.seq}: {event.action} by {event.label}, {when(event.at)}")
        if event.why is not None:
            say(f"{'   ' * depth}   because {told_why(event.why)}", style="dim")


def told_why(why: JsonObject) -> str:
    """Return the provenance of an automated event in words."""
    if why.get("kind") == WorkKind.SCHEDULED_ACTION.value:
        return (
            f"timer {why.get('schedule_id')}, set by {why.get('scheduled_by_action')}, was due {why.get('run_at')}"
        )
    if why.get("kind") == "spawn":
        return f"event {why.get('seq')} of {why.get('stream')} began it"
    return f"{why.get('queued_by_action')} led to {why.get('available_state')}, where it acts by itself"


def print_fired(fired: Sequence[Fired]) -> None:
    """Print what the worker did, one line per attempt."""
    for attempt in fired:
        row, answer = attempt.work.row, attempt.answer
        why = "" if isinstance(answer, Appended) else f"  ({answer.code}: {answer.detail})"
        say(f"{row.stream} {row.action}  {attempt.became}{why}")
    if not fired:
        say("nothing is due")


def fired_json(attempt: Fired) -> JsonObject:
    """Return one attempt: the row, what it became, and the receipt, or why there is none."""
    answer = attempt.answer
    end: JsonObject = (
        {"receipt": receipt_json(answer)} if isinstance(answer, Appended) else {"refused": plain(answer)}
    )
    return {"became": attempt.became, "work": plain(attempt.work), **end}


def report_json(report: Report) -> JsonObject:
    """Return a report as one object."""
    return plain(report) | {"not_proven": [*report.not_proven], "intact": report.intact}


def print_report(report: Report) -> None:
    """Print what was checked, what is wrong, and what that does not prove."""
    _print_report(report, report.not_proven)


def _print_report(report: Report, not_proven: Sequence[str]) -> None:
    say(f"checked {report.events} events in {report.streams} chains: links, actor signatures, engine signatures")
    say(f"decided {report.decided} of them again, and held {report.rows} work rows against their events")
    for finding in report.findings:
        say(
            f"TAMPERING {finding.code}: {finding.tenant} {finding.stream} event {finding.seq}: {finding.detail}",
            style="bold red",
        )
    if report.intact:
        say("nothing wrong was found", style="green")
    say("not proven:")
    for gap in not_proven:
        say(f"  - {gap}")


def print_bundle_report(answer: BundleReport) -> None:
    """Print what a bundle is about, and what was found in it."""
    about = answer.about
    say(f"bundle of {', '.join(about.processes)} of {about.tenant}, exported {about.exported_at}")
    say(f"  log       {about.origin}{'' if answer.pinned else '  (as the bundle says)'}")
    say(f"  root key  {about.root}{'' if answer.pinned else '  (as the bundle says)'}")
    _print_report(answer.report, answer.not_proven)


def print_exported(exported: Exported, path: Path) -> None:
    """Print what a bundle holds now."""
    say(f"exported {', '.join(exported.processes)} of {exported.tenant} to {path}")
    say(f"  {exported.related} other processes that began these, or that these began")
    say(f"  {exported.events} events in {exported.chains} chains, with the keys and the definitions")
    say(f"  {exported.documents} documents, {exported.work_rows} work rows")
    say("  hand trust.json on by another way than the bundle: verify --bundle FILE --trust trust.json")
