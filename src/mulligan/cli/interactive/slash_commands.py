"""What a line typed at the prompt means."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

COMMANDS: dict[str, str] = {
    "/help": "what can be typed here",
    "/agent": "who answers; with a name, someone else does from now on",
    "/model": "the model that is asked; with a name, another one from now on",
    "/continue": "go on with a turn that a guard stopped",
    "/compact": "sum up the chat so far, to make room for more",
    "/changes": "look at the pending changes",
    "/new": "begin a new chat",
    "/quit": "leave; the chat is kept",
}

_COMMAND = re.compile(r"(/[a-zA-Z]*)(?:[ \t]+(\S.*))?")
"""A path such as /etc/hosts is no command."""


@dataclass(frozen=True, slots=True)
class Say:
    """A message for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Looks like a command, and is none."""

    name: str
    nearest: str | None


def read_line(line: str, options: Sequence[str] = ()) -> Say | Command | UnknownCommand:
    """A command, or a message. While a question is open, the number of an option stands for the option."""
    text = line.strip()
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return Say(options[int(text) - 1])
    found = _COMMAND.fullmatch(text)
    if not found:
        return Say(text)
    name, argument = found[1].lower(), found[2]
    if name in COMMANDS:
        return Command(name, argument)
    return UnknownCommand(name, next(iter(difflib.get_close_matches(name, COMMANDS, 1)), None))
