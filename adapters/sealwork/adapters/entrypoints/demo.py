"""The demonstration: a small onboarding, with real keys, on a real database, told as it happens."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from datetime import timedelta
from importlib.resources import files
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TypeVar
from uuid import uuid4

from sealwork.adapters.cli.output import say
from sealwork.adapters.cli.process_view import print_timeline
from sealwork.adapters.entrypoints.compose import Application
from sealwork.adapters.entrypoints.home import ADMIN, Home
from sealwork.adapters.entrypoints.init import initialise
from sealwork.adapters.entrypoints.opening import application, opened_or_new_database
from sealwork.adapters.entrypoints.settings import Settings
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Inside, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ledger.manage_actors import Admission
from sealwork.application.ledger.sign_and_submit import Wish
from sealwork.application.proof.verify import Report, Verify
from sealwork.application.workflows.publish_definition import Invalid
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import process_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import DefinitionRef, Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.work.outcomes import Unanswered

Answer = TypeVar("Answer")
PEOPLE = {"maria": ("intake",), "ana": ("analyst",), "omar": ("officer", "intake")}


def run_demo(settings: Settings) -> None:
    """Run the demonstration in the home of `settings`; each run opens one more account.

    Raises:
        Misconfigured: the home belongs to a log that is no demo.
        Unavailable: the database does not answer.
    """
    home = Home(settings.demo_home)
    pinned = home.pinned()
    origin = pinned.origin if pinned else f"demo.sealwork/{token_hex(4)}"
    if not origin.startswith("demo."):
        raise Misconfigured(f"the demo moves the clock, which {origin} forbids: give it another --home")
    say("Sealwork demo: opening a customer's account", style="bold")
    with opened_or_new_database(settings, home) as database:
        initialise(database, home, origin=origin, tenant=settings.tenant)
        demo = _Demo(application(database, home, settings.tenant), database, home)
        demo.prepare()
        demo.run()
        demo.refuse()
        demo.prove()
    demo.say_goodbye()


class _Demo:
    """The acts of the demonstration, over one process."""

    def __init__(self, app: Application, database: Database, home: Home) -> None:
        self._app = app
        self._database = database
        self._home = home
        self._steps = count(1)
        self._process = _free_process_id(app)

    def prepare(self) -> None:
        """Publish the workflow and admit the people."""
        trust = self._home.trust()
        self._tell(f"A PostgreSQL of its own is running. Its log is called {trust.origin}.")
        document = json.loads(files(__package__).joinpath("onboarding.json").read_bytes())
        published = self._app.publish_definition(self._app.tenant, document, self._app.key(ADMIN))
        if isinstance(published, Invalid):
            raise Misconfigured(f"the demo's workflow cannot be published: {published.issues[0].message}")
        self._workflow: DefinitionRef = _accepted(published).ref
        self._tell(f"The workflow {self._workflow.path}@{self._workflow.version} is published, signed by admin.")
        known = {actor.label for actor in self._app.show_actors(self._app.tenant).keys.values()}
        for name, roles in PEOPLE.items():
            if name not in known:
                who = Admission(tenant=self._app.tenant, key_class=KeyClass.PERSON, label=name, roles=roles)
                _accepted(self._app.manage_actors.admit(who, self._app.key_or_new(name), self._app.key(ADMIN)))
        people = ", ".join(f"{name} ({', '.join(roles)})" for name, roles in PEOPLE.items())
        self._tell(f"Everybody has a key of their own: {people}, and the machine has one too.")

    def run(self) -> None:
        """People act, the machine acts, time passes."""
        self._tell(f"maria opens the account {self._process}, and hands in the customer's file.")
        started = self._app.start_process(
            self._app.tenant, self._process, self._workflow, self._app.key("maria"), input_={}
        )
        _accepted(started)
        self._act("submit_onboarding", "maria", {"country": "SE"})
        self._tell("Nobody starts the screening: it starts by itself, when the country is not on the list.")
        self._let_the_machine_act()
        self._tell("The demo sets its clock two days ahead. Nobody has answered: the deadline of 48 hours fires.")
        DatabaseClock(self._database).move(timedelta(hours=48, minutes=1))
        self._let_the_machine_act()
        self._tell("ana clears the customer after all, and omar approves.")
        self._act("record_clear", "ana", {})
        self._act("approve", "omar", {})
        self._tell("This is the account's history. Each line is signed by who acted, and sealed by the engine:")
        say()
        print_timeline(_accepted(self._app.show_process.timeline(self._app.tenant, self._process)))
        say()

    def refuse(self) -> None:
        """Show what cannot happen."""
        tenant, app = self._app.tenant, self._app
        other = _free_process_id(app, after=self._process)
        _accepted(app.start_process(tenant, other, self._workflow, app.key("omar"), input_={}))
        answer = app.submit_action(tenant, other, "submit_onboarding", app.key("ana"), input_={})
        self._tell(f"ana tries to hand in the file of {other}. {_refusal(answer)}")
        answer = app.submit_action(tenant, other, "submit_onboarding", app.key("omar"), input_={})
        self._tell(f"omar may, but forgets the country. {_refusal(answer)}")
        answer = app.process_event(self._forged(other))
        self._tell(f"ana writes maria's name under a step. {_refusal(answer)}")
        answer = self._late(other)
        self._tell(f"Two people act on the same page of history; the second one is late. {_refusal(answer)}")
        self._act("submit_onboarding", "omar", {"country": "NO"}, other)
        self._let_the_machine_act()
        self._act("record_clear", "ana", {}, other)
        answer = app.submit_action(tenant, other, "approve", app.key("omar"), input_={})
        self._tell(f"omar handed this file in, and would approve it himself. {_refusal(answer)}")

    def prove(self) -> None:
        """Check everything; then change a signed event behind the engine's back, and check again."""
        report = self._app.verify()
        if not report.intact:
            raise Misconfigured(f"this demo's log is damaged: {report.findings[0].detail}")
        events = f"{report.events} events in {report.streams} chains"
        self._tell(f"Everything is checked, from the signed bytes: {events}, nothing wrong.")
        found = self._report_after_tampering().findings
        self._tell('Somebody with every right on the database changes "SE" to "NO" in what maria signed. Found:')
        for finding in found:
            place = f"event {finding.seq} of {finding.stream}"
            say(f"       {finding.code} in {place}: {finding.detail}", style="red")
        say("       (the change was undone again)", style="dim")

    def say_goodbye(self) -> None:
        """Say where everything lies, and what to try next."""
        command = f"{_own_command()}{_home_flag(self._home.folder)}"
        say()
        say(f"Keys and data lie in {self._home.folder.resolve()}. Nothing is running any more. Try next:")
        say(f"  {command} timeline {self._process}")
        say(f"  {command} show {self._process} --json")
        say(f"  {command} verify")

    def _tell(self, text: str) -> None:
        say(f"{next(self._steps):>3}  {text}")

    def _act(self, action: str, who: str, input_: JsonObject, process: str | None = None) -> None:
        app = self._app
        _accepted(app.submit_action(app.tenant, process or self._process, action, app.key(who), input_=input_))

    def _let_the_machine_act(self) -> None:
        for fired in self._app.fire_work([self._app.tenant]):
            _accepted(fired.answer)
            row = fired.work.row
            if row.stream == process_stream(self._process):
                say(f"       {row.action}: signed by the machine, because of {row.caused_by.action}", style="dim")

    def _forged(self, process_id: str) -> Submission:
        """An intent in maria's name, with ana's signature."""
        head = self._app.sign_and_submit.head(self._app.tenant, process_stream(process_id))
        body = Intent(
            origin=self._home.trust().origin,
            tenant=self._app.tenant,
            stream=process_stream(process_id),
            seq=head.seq + 1,
            prev=head.hash,
            id=str(uuid4()),
            definition=self._workflow,
            action="submit_onboarding",
            key=self._app.key("maria").actor,
            at=instant_text(head.now),
            input={},
        ).to_bytes()
        return Submission(intent=body, signature=self._app.key("ana").sign(signed_intent_bytes(body)))

    def _late(self, process_id: str) -> Appended | Refused:
        """Two steps signed over one head; the first is taken."""
        stream, submit = process_stream(process_id), self._app.sign_and_submit
        head = submit.head(self._app.tenant, stream)
        wish = Wish(
            tenant=self._app.tenant,
            stream=stream,
            action="add_note",
            input={"note": "called"},
            definition=self._workflow,
        )
        _accepted(submit(wish, self._app.key("maria"), over=head))
        return submit(wish, self._app.key("maria"), over=head)

    def _report_after_tampering(self) -> Report:
        """Verify inside a transaction that has changed an event, and roll it back."""
        trust = self._home.trust()
        with self._database.owner() as connection, connection.transaction(force_rollback=True):
            connection.execute("ALTER TABLE sealwork.events DISABLE TRIGGER USER")
            connection.execute(
                "UPDATE sealwork.events SET intent = convert_to("
                "replace(convert_from(intent, 'UTF8'), '\"SE\"', '\"NO\"'), 'UTF8') "
                "WHERE tenant_id = %s AND stream = %s AND seq = 2",
                (self._app.tenant, process_stream(self._process)),
            )
            log = RecordedEventLog(PostgresRecorder(Inside(connection), Role.READER))
            return Verify(log, Ed25519Verifier(), origin=trust.origin, root=trust.root)()


def _free_process_id(app: Application, after: str | None = None) -> str:
    """The next id that no process has; `after` is one that is taken."""
    first = int(after.rpartition("-")[2]) + 1 if after else 1
    names = (f"onboarding-{number}" for number in count(first))
    return next(name for name in names if isinstance(app.show_process(app.tenant, name), Refused))


def _accepted(answer: Answer | Refused | Unanswered) -> Answer:
    if isinstance(answer, Refused | Unanswered):
        raise Misconfigured(f"the demo was refused ({answer.code}): {answer.detail}")
    return answer


def _refusal(answer: Appended | Refused) -> str:
    if isinstance(answer, Appended):
        raise Misconfigured("the demo expected a refusal and got none: please report this")
    return f"Refused, {answer.code}: {answer.detail}."


def _own_command() -> str:
    """The command as it can be typed again from here: its name if PATH leads to it, else its path."""
    command = Path(sys.argv[0])
    if shutil.which(command.name) == str(command):
        return command.name
    inside = command.is_absolute() and command.is_relative_to(Path.cwd())
    return shlex.quote(str(command.relative_to(Path.cwd()) if inside else command))


def _home_flag(folder: Path) -> str:
    given = os.environ.get("SEALWORK_HOME")
    return "" if given or folder == Path(".sealwork") else f" --home {shlex.quote(str(folder))}"
