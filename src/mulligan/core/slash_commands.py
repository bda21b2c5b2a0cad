"""What a line typed at a prompt means: a command of the place where it was typed, or a message for the model."""

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

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


def read_line(line: str, commands: Collection[str], options: Sequence[str] = ()) -> Say | Command | UnknownCommand:
    """A command, or a message. While a question is open, the number of an option stands for the option."""
    text = line.strip()
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return Say(options[int(text) - 1])
    found = _COMMAND.fullmatch(text)
    if not found:
        return Say(text)
    name, argument = found[1].lower(), found[2]
    if name in commands:
        return Command(name, argument)
    return UnknownCommand(name, next(iter(difflib.get_close_matches(name, commands, 1)), None))


def unknown_words(unknown: UnknownCommand, commands: Collection[str]) -> str:
    hint = f"did you mean {unknown.nearest}?" if unknown.nearest else f"there are: {', '.join(commands)}"
    return f"{unknown.name} is no command; {hint}"
