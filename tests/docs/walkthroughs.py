"""Pages that a reader works through: the files to write, the commands to type, and what those print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docs.documents import ROOT
from flows.commands import COMMAND, PATIENCE, Done, surroundings

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"`([\w.-]+)`:\n\n\Z")
_VARYING = re.compile(
    r"(?P<instant>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6})?Z)"
    r"|(?P<id>\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
    r"|(?P<hash>\b[0-9a-f]{64}\b)"
    r"|(?P<log>\blocal\.sealwork/[0-9a-f]{8}\b)"
)


@dataclass(frozen=True)
class Write:
    """The reader writes a file."""

    name: str
    text: str


@dataclass(frozen=True)
class Type:
    """The reader types a command, and sees what is printed."""

    command: str
    printed: str


def steps(page: str) -> Iterator[Write | Type]:
    """Give all that stands in the fenced blocks of a page, in order; nothing else may stand in one."""
    for block in _BLOCK.finditer(page):
        kind, inside = block.groups()
        if kind == "json":
            named = _NAMED.search(page[: block.start()])
            assert named, f"the text before does not end with the name of the file to write:\n{inside}"
            yield Write(named[1], inside)
        else:
            assert (kind, inside[:2]) == ("console", "$ "), f"neither a file nor a command:\n{block[0]}"
            for lines in re.split(r"^\$ ", inside, flags=re.MULTILINE)[1:]:
                command, _, printed = lines.partition("\n")
                yield Type(command, printed)


@dataclass
class Varying:
    """The ids, hashes and names that one run has shown so far; what is the same in it is masked the same."""

    shown: list[str] = field(default_factory=list)

    def masked(self, text: str) -> str:
        """Return `text` with a kind for each instant, and a kind and a number for each other varying value."""
        return _VARYING.sub(self._mask, text)

    def put_in(self, text: str, page: Varying) -> str:
        """Return `text` of a page with the values of this run instead of those of the page."""
        here = dict(zip(page.shown, self.shown, strict=True))
        return _VARYING.sub(lambda found: here.get(found[0], found[0]), text)

    def _mask(self, found: re.Match[str]) -> str:
        if found.lastgroup == "instant":
            return "<instant>"
        if found[0] not in self.shown:
            self.shown.append(found[0])
        return f"<{found.lastgroup} {self.shown.index(found[0])}>"


class Reader:
    """Who works through a page: a shell that begins in the checkout, in an account whose home is `folder`."""

    def __init__(self, folder: Path) -> None:
        self._memory = folder / "memory.sh"
        self._memory.touch()
        programs = folder / "programs"
        programs.mkdir()
        (programs / "python3").symlink_to(sys.executable)
        others = (path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != COMMAND.parent)
        self._env = surroundings() | {"HOME": str(folder), "PATH": os.pathsep.join((str(programs), *others))}

    def types(self, command: str) -> Done:
        """Return how a command ended; its folder and its exported variables are those of the next."""
        return self._bash(command)

    def writes(self, name: str, text: str) -> None:
        """Write a file into the present folder."""
        done = self._bash(f"cat > {shlex.quote(name)}", text)
        assert done.code == 0, done

    def _bash(self, command: str, stdin: str = "") -> Done:
        memorise = '{ export -p; printf "cd %q\\n" "$PWD"; } > "$1"'
        script = f'. "$1"\n{command}\ncode=$?\n{memorise}\nexit $code'
        done = subprocess.run(
            ("bash", "--noprofile", "--norc", "-c", script, "bash", self._memory),
            cwd=ROOT,
            env=self._env,
            input=stdin.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        return Done(done.returncode, done.stdout.decode(), "")
