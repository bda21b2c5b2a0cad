"""What `--help` says, of every command."""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
import typer
import typer.main
from typer.testing import CliRunner

from mulligan import __version__
from mulligan.cli import commands
from mulligan.cli.app import app
from mulligan.cli.text.help_sections import SECTIONS
from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.types.fixing import RunProfile

ROOT: Any = typer.main.get_command(app)
"""Click has no types of its own for what typer makes of it."""
COLUMNS = 80


def every_command(command: Any = ROOT, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from every_command(below, (*words, name))


COMMANDS = [pytest.param(words, command, id=" ".join(words) or "mulligan") for words, command in every_command()]


def examples(command: Any) -> list[str]:
    return re.findall(r"^  (mulligan\b.*)$", command.epilog or "", re.MULTILINE)


def parse(words: list[str]) -> None:
    """As click does before it calls a command, down to the subcommand. Raises its own error for what is wrong."""
    context = ROOT.make_context("mulligan", words)
    while rest := [*context._protected_args, *context.args] if hasattr(context.command, "commands") else []:
        name, command, more = context.command.resolve_command(context, rest)
        context = command.make_context(name, more, parent=context)


def shown(*words: str) -> str:
    return CliRunner().invoke(app, [*words, "--help"], terminal_width=COLUMNS, prog_name="mulligan").output


@pytest.mark.parametrize(("words", "command"), COMMANDS[1:])
def test_a_command_has_a_summary_that_its_list_shows_in_full(words: tuple[str, ...], command: Any) -> None:
    summary = command.get_short_help_str(COLUMNS - 8 - len("checkpoints"))
    assert summary.endswith(".")
    assert not summary.endswith("..."), f"{' '.join(words)}: {summary}"


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_a_command_has_an_example_of_itself(words: tuple[str, ...], command: Any) -> None:
    assert any(example.split()[1 : 1 + len(words)] == list(words) for example in examples(command))


@pytest.mark.parametrize(
    "example", sorted({example for _, command in every_command() for example in examples(command)})
)
def test_an_example_is_understood(example: str) -> None:
    typed = example.partition(" < ")[0]
    parse(shlex.split(typed)[1:])


def test_a_wrong_example_would_be_noticed() -> None:
    with pytest.raises(Exception, match="No such option: --nope"):
        parse(["changes", "apply", "--nope"])


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_other_commands_that_are_named_exist(words: tuple[str, ...], command: Any) -> None:
    known = {" ".join(each) for each, _ in every_command()}
    see = re.search(r"^See also: (.*)$", command.epilog or "", re.MULTILINE)
    named = see.group(1).split(", ") if see else []
    assert {each.removeprefix("mulligan ") for each in named} <= known - {" ".join(words)}


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_no_line_is_wider_than_a_terminal(words: tuple[str, ...], command: Any) -> None:
    del command
    assert [line for line in shown(*words).splitlines() if len(line) > COLUMNS] == []


def test_every_command_is_in_a_section_and_has_examples() -> None:
    files = (module.name for module in iter_modules(commands.__path__))
    made = {name for name in files if hasattr(import_module(f"{commands.__name__}.{name}"), name)}
    of_groups = {words[-1] for words, _ in every_command() if len(words) > 1}
    listed = {name for names in SECTIONS.values() for name in names}
    assert made - of_groups <= listed <= made
    assert [name for name, command in ROOT.commands.items() if not examples(command)] == []


def test_every_command_stands_in_one_section_and_newcomers_begin_at_the_top() -> None:
    placed = [name for names in SECTIONS.values() for name in names]
    assert sorted(placed) == sorted(ROOT.commands)
    assert re.findall(r"^  (\w+)  .*\.$", shown().partition("First steps:")[2], re.MULTILINE) == placed


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_profiles_of_a_fix_run_are_told_as_they_are(profile: RunProfile) -> None:
    line = re.search(rf"^ +{profile.name}  (.*)$", shown("fix"), re.MULTILINE)
    assert line
    assert re.findall(r"\d+", line.group(1))[:2] == [str(profile.commands), str(profile.tests)]
    assert ("may install" in line.group(1)) == profile.installs
    assert ("no app runs" not in line.group(1)) == profile.app_runs


def test_the_version_is_told() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"mulligan {__version__}\n"
