"""What the commands say about published versions: `def show`, `list`, `withdraw`."""

from __future__ import annotations

import pytest

from command_line import CommandLine
from sealing import ONBOARDING
from sealwork.domain.ledger.intent import DefinitionRef

PATH = "customer/onboarding"


@pytest.fixture
def twice_published(command_line: CommandLine) -> CommandLine:
    """A second version stands, and another workflow; the first version is withdrawn."""
    box = command_line.box
    box.published({**ONBOARDING, "title": "second"})
    box.published({**ONBOARDING, "path": "back/office"})
    assert command_line("def", "withdraw", f"{PATH}@1").exit_code == 0
    return command_line


def ref(command_line: CommandLine, path: str, version: int) -> DefinitionRef:
    found = command_line.box.definitions.find("acme", path, version)
    assert isinstance(found, DefinitionRef)
    return found


def test_withdraw_says_what_it_did(command_line: CommandLine) -> None:
    result = command_line("def", "withdraw", f"{PATH}@1", "--as", "admin")

    event = command_line.box.events(f"workflow/{PATH}")[-1]
    assert (result.exit_code, result.stdout) == (0, f"withdrawn: {PATH}@1\n  hash {event.hash}\n")


def test_withdraw_gives_programs_the_receipt(command_line: CommandLine) -> None:
    document = command_line.document("def", "withdraw", f"{PATH}@1")

    receipt = command_line.box.events(f"workflow/{PATH}")[-1].receipt
    assert isinstance(document, dict)
    assert (document["seq"], document["record"]) == (2, receipt.record.decode())


@pytest.mark.parametrize(
    ("arguments", "code", "refusal"),
    [
        ((f"{PATH}@1",), 4, ("conflict", "/input/version")),
        ((f"{PATH}@9",), 3, ("definition_mismatch", "/definition")),
        (("customer/other@1",), 3, ("definition_mismatch", "/definition")),
        ((f"{PATH}@2", "--as", "maria"), 1, ("permission", "/key")),
    ],
    ids=["again", "no such version", "no such workflow", "no permission"],
)
def test_a_withdrawal_is_refused_with_one_document(
    arguments: tuple[str, ...], code: int, refusal: tuple[str, str], twice_published: CommandLine
) -> None:
    document = twice_published.refusal("def", "withdraw", *arguments, code=code)

    assert (document["code"], document["pointer"]) == refusal


def test_withdraw_asks_for_the_version(command_line: CommandLine) -> None:
    result = command_line("def", "withdraw", PATH)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "name the version too" in result.stderr
    assert command_line.places == []


def test_show_says_beside_the_document_that_a_version_was_withdrawn(twice_published: CommandLine) -> None:
    old, new = twice_published("def", "show", f"{PATH}@1"), twice_published("def", "show", PATH)

    assert old.stderr == f"{PATH}@1 was withdrawn: nothing new begins with it\n"
    assert (old.exit_code, new.stderr) == (0, "")


def test_show_tells_programs_that_a_version_was_withdrawn(twice_published: CommandLine) -> None:
    documents = [twice_published.document("def", "show", f"{PATH}@{version}") for version in (1, 2)]

    assert [document["withdrawn"] for document in documents if isinstance(document, dict)] == [True, False]


def test_list_tells_every_workflow_and_its_versions_newest_first(twice_published: CommandLine) -> None:
    result = twice_published("def", "list")

    assert result.stdout.splitlines() == [
        "back/office",
        f"  @1     sha256 {ref(twice_published, 'back/office', 1).sha256}",
        PATH,
        f"  @2     sha256 {ref(twice_published, PATH, 2).sha256}",
        f"  @1     sha256 {ref(twice_published, PATH, 1).sha256}  withdrawn",
    ]


def test_list_gives_programs_one_document(twice_published: CommandLine) -> None:
    document = twice_published.document("def", "list", PATH)

    assert document == [
        {
            "path": PATH,
            "versions": [
                {"ref": ref(twice_published, PATH, 2).model_dump(), "withdrawn": False},
                {"ref": ref(twice_published, PATH, 1).model_dump(), "withdrawn": True},
            ],
        }
    ]


def test_list_tells_one_workflow(twice_published: CommandLine) -> None:
    assert twice_published("def", "list", "back/office").stdout.splitlines()[0] == "back/office"
    assert PATH not in twice_published("def", "list", "back/office").stdout


def test_list_says_that_nothing_is_there(command_line: CommandLine) -> None:
    everything, one = command_line("--tenant", "globex", "def", "list"), command_line("def", "list", "customer")

    assert (everything.exit_code, everything.stdout) == (0, "nothing is published\n")
    assert (one.exit_code, one.stdout) == (3, "")
    assert command_line.document("--tenant", "globex", "def", "list") == []
    assert command_line.refusal("def", "list", "customer", code=3)["code"] == "definition_mismatch"
