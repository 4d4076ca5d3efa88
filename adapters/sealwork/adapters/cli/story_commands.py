"""Stories: `def test` plays whole jobs in memory and tells what came out otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.located_issues import LocatedIssue, located_flaw, told
from sealwork.adapters.cli.output import plain, print_json, say
from sealwork.adapters.cli.reading import read_document, read_sources
from sealwork.adapters.cli.session import AsJson, session
from sealwork.adapters.cli.source_text import Source
from sealwork.application.stories.run_story import RunStory, StepReport, StoryReport
from sealwork.application.stories.story import read_story
from sealwork.domain.json_value import JsonValue
from sealwork.domain.refusals import Refused

commands = typer.Typer()

Stories = Annotated[list[Path], typer.Argument(metavar="STORY", help="Stories in JSON; - is standard input.")]
_SHOWN = 300


@commands.command()
def test(context: typer.Context, stories: Stories, as_json: AsJson = False) -> None:
    """Play stories in memory, with real signatures; needs no home and no database."""
    played = [(source, _played(context, source)) for source in read_sources(stories)]
    if as_json:
        print_json({"stories": [{"file": source.name, **_json(report)} for source, report in played]})
    else:
        for source, report in played:
            for line in _lines(source, report):
                say(line)
    holds = all(isinstance(report, StoryReport) and report.holds for _, report in played)
    raise typer.Exit(ExitCode.OK if holds else ExitCode.REFUSED)


def _played(context: typer.Context, source: Source) -> StoryReport | LocatedIssue:
    document = read_document(source)
    story = document if isinstance(document, Refused) else read_story(_with_workflows(document, source))
    if isinstance(story, Refused):
        return located_flaw(source, story)
    return RunStory(session(context).entrances.stage())(story)


def _with_workflows(document: JsonValue, source: Source) -> JsonValue:
    """Return a story with its workflows whole: a name stands for the file beside the story.

    Raises:
        typer.BadParameter: such a file cannot be read, or is no JSON.
    """
    workflows = document.get("workflows") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(workflows, list):
        return document
    beside = Path(source.name).parent
    return {**document, "workflows": [_workflow(each, beside) for each in workflows]}


def _workflow(written: JsonValue, beside: Path) -> JsonValue:
    if not isinstance(written, str):
        return written
    (file,) = read_sources([beside / written])
    workflow = read_document(file)
    if isinstance(workflow, Refused):
        raise typer.BadParameter(f"{file.name}: {workflow.detail}")
    return workflow


def _json(report: StoryReport | LocatedIssue) -> dict[str, JsonValue]:
    if isinstance(report, StoryReport):
        return {"holds": report.holds, **plain(report)}
    return {"holds": False, "refused": plain(report.issue)}


def _lines(source: Source, report: StoryReport | LocatedIssue) -> Iterator[str]:
    if isinstance(report, LocatedIssue):
        yield from told(report)
        return
    yield f"{source.name}: {report.story} {report.title}: {_verdict(report)}"
    for issue in report.issues:
        if issue.level == "error":
            yield f"  a workflow cannot be published: {issue.code} at {issue.pointer or '/'}: {issue.message}"
    for step in report.steps:
        yield from _step(step)


def _verdict(report: StoryReport) -> str:
    wrong = sum(bool(step.mismatches) for step in report.steps)
    later = f", {report.not_taken} of its steps need a later version" if report.not_taken else ""
    if any(issue.level == "error" for issue in report.issues):
        return "was not played"
    if report.holds:
        return f"holds ({len(report.steps)} steps){later}"
    return f"{wrong} of {len(report.steps)} steps came out otherwise{later}"


def _step(step: StepReport) -> Iterator[str]:
    if step.not_taken:
        yield f"  step {step.number}, {step.told}: not taken, {step.not_taken}"
    if not step.mismatches:
        return
    yield f"  step {step.number}, {step.told}" + (f" ({step.note})" if step.note else "")
    for mismatch in step.mismatches:
        yield from (
            f"    {mismatch.where}",
            f"      expected {_shortly(mismatch.expected)}",
            f"      got      {_shortly(mismatch.got)}",
        )
    if step.detail:
        yield f"    the engine said: {step.detail}"


def _shortly(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
