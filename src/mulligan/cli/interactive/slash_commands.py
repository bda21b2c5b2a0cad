"""What a line typed at the prompt means."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mulligan.core.prompt_commands import typed_command

COMMANDS: dict[str, str] = {
    "/help": "what can be typed here",
    "/agent": "who answers; with a name, someone else does from now on",
    "/model": "the model that is asked; with a name, another one from now on",
    "/continue": "go on with a turn that a guard stopped",
    "/plan": "with a goal, plan it and change nothing; alone, follow the plan that was made last",
    "/undo": "take back the last turn: what was said, and what it did to files",
    "/diff": "the pending changes as a diff, or what the last turn changed",
    "/changes": "look at the pending changes, and apply or reject them",
    "/context": "how full the model's context is, and with what",
    "/compact": "sum up the chat so far, to make room for more",
    "/new": "begin a new chat",
    "/fork": "go on in a copy of this chat",
    "/rename": "give the chat another name",
    "/export": "write the chat to a file, as Markdown",
    "/quit": "leave; the chat is kept",
}


@dataclass(frozen=True, slots=True)
class Say:
    """A message for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """A command for the shell, typed by the person."""

    command: str


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Looks like a command, and is none."""

    name: str
    nearest: str | None


def read_line(
    line: str, options: Sequence[str] = (), own: Collection[str] = ()
) -> Say | Run | Command | UnknownCommand:
    """A command, or a message. While a question is open, the number of an option stands for the option. `own` are the
    person's own commands: what one stands for is said to the model."""
    text = line.strip()
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return Say(options[int(text) - 1])
    if text.startswith("!") and text[1:].strip():
        return Run(text[1:].strip())
    typed = ("", "") if text == "/" else typed_command(text)
    if typed is None or "\n" in text:  # what is written on several lines is for the model
        return Say(text)
    name, argument = f"/{typed[0].lower()}", typed[1] or None
    if name in COMMANDS:
        return Command(name, argument)
    if f"/{typed[0]}" in own:
        return Say(text)
    return UnknownCommand(name, next(iter(difflib.get_close_matches(name, [*COMMANDS, *own], 1)), None))
