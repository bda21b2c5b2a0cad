"""A formatter reads the text in whatever sandbox there is, and reaches no further than a command."""

import pytest

from mulligan.types.hooks import Formatter
from mulligan.types.sandbox import SandboxChoice
from mulligan.workspace.user_hooks import UserFormatters
from tests.workspace.sandbox.conftest import WAYS, Place

EVERY_WAY = pytest.mark.parametrize("way", [*WAYS, "none"])


def formatters(place: Place, way: SandboxChoice, command: str) -> UserFormatters:
    return UserFormatters([Formatter(path="*.py", command=command)], place.project, place.sandbox(way))


@EVERY_WAY
async def test_it_reads_the_text_and_is_told_the_path(place: Place, way: SandboxChoice) -> None:
    made = formatters(place, way, "echo {path}; sed s/a/b/")
    text = "a = 1\n" * 50_000
    assert await made("it's.py", text) == (
        "it's.py\n" + "b = 1\n" * 50_000,
        ("Formatted by the user's `echo {path}; sed s/a/b/`.",),
    )
    assert await made("other.md", text) == (text, ())


@pytest.mark.parametrize("way", WAYS)
async def test_it_reads_nothing_of_the_home_folder(place: Place, way: SandboxChoice) -> None:
    text, notes = await formatters(place, way, f"cat {place.home}/notes.txt")("a.py", "a = 1\n")
    assert text == "a = 1\n"
    assert notes[0].startswith("Not formatted:")


@EVERY_WAY
async def test_nothing_is_said_where_the_text_is_in_form(place: Place, way: SandboxChoice) -> None:
    assert await formatters(place, way, "cat")("a.py", "a = 1\n") == ("a = 1\n", ())


@EVERY_WAY
async def test_what_is_no_text_is_not_taken(place: Place, way: SandboxChoice) -> None:
    text, notes = await formatters(place, way, r"printf '\377'")("a.py", "a = 1\n")
    assert (text, notes[0].startswith("Not formatted:")) == ("a = 1\n", True)
