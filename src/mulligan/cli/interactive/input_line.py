"""Parses a line typed at the prompt."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mulligan.core.custom_commands import parse_slash_command

COMMANDS: dict[str, str] = {
    "/help": "list these commands",
    "/agent": "list agents; with a name, switch to it",
    "/model": "show the model; with a name, switch to it",
    "/continue": "continue a turn that a guard stopped",
    "/plan": "with a goal, plan it and change nothing; alone, carry out the last plan",
    "/undo": "undo the last turn: its messages and its file changes",
    "/diff": "show pending changes as a diff, or what the last turn changed",
    "/changes": "review pending changes, and apply or reject them",
    "/context": "show how full the model's context is, and with what",
    "/compact": "summarize the chat so far, to free up context",
    "/new": "start a new chat",
    "/fork": "continue in a copy of this chat",
    "/rename": "rename the chat",
    "/export": "write the chat to a file, as Markdown",
    "/quit": "quit; the chat is saved",
}


@dataclass(frozen=True, slots=True)
class ToModel:
    """A message for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class ShellEscape:
    """A shell command that the user typed."""

    command: str


@dataclass(frozen=True, slots=True)
class SlashCommand:
    name: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Looks like a command, but is none."""

    name: str
    nearest: str | None


def parse_line(
    line: str, options: Sequence[str] = (), own: Collection[str] = ()
) -> ToModel | ShellEscape | SlashCommand | UnknownCommand:
    """A command, or a message. While a question is open, the number of an option stands for the option. `own` are the
    user's own commands: their text is sent to the model."""
    text = line.strip()
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return ToModel(options[int(text) - 1])
    if text.startswith("!") and text[1:].strip():
        return ShellEscape(text[1:].strip())
    parsed = ("", "") if text == "/" else parse_slash_command(text)
    if parsed is None or "\n" in text:  # several lines are always a message for the model
        return ToModel(text)
    name, argument = f"/{parsed[0].lower()}", parsed[1] or None
    if name in COMMANDS:
        return SlashCommand(name, argument)
    if f"/{parsed[0]}" in own:
        return ToModel(text)
    return UnknownCommand(name, next(iter(difflib.get_close_matches(name, [*COMMANDS, *own], 1)), None))
