"""The user's own commands: a Markdown file that becomes a message when its name is typed."""

import re
from dataclasses import dataclass

from mulligan.core.front_matter import split_front_matter

_TYPED = re.compile(r"/([A-Za-z][\w:.-]*)(?:\s+(.*))?", re.DOTALL)
_PLACES = re.compile(r"\$(ARGUMENTS\b|[1-9])")
_WORDS = re.compile(r'"([^"]*)"|(\S+)')
_RUNS = re.compile(r"!`([^`\n]+)`|^!(\S.*)$", re.MULTILINE)
NOT_TAKEN = ("model", "agent", "allowed-tools", "subtask")
"""Settings in such files that would decide for the user."""


@dataclass(frozen=True, slots=True)
class CustomCommand:
    name: str
    description: str
    hint: str
    """The arguments it may take."""
    body: str
    source: str
    """Its file."""
    ignored: tuple[str, ...] = ()
    """Settings in it that are ignored."""


@dataclass(frozen=True, slots=True)
class Expanded:
    text: str
    notes: tuple[str, ...] = ()
    """What the file asked for and did not get."""


def read_command(name: str, text: str, source: str) -> CustomCommand:
    fields, body = split_front_matter(text)
    first = next((line.strip("# ").strip() for line in body.split("\n") if line.strip("# ")), "")
    return CustomCommand(
        name,
        fields.get("description") or first,
        fields.get("argument-hint", ""),
        body,
        source,
        tuple(each for each in NOT_TAKEN if each in fields),
    )


def parse_slash_command(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a possible command; None for anything else, such as a path."""
    match = _TYPED.fullmatch(text.strip())
    return (match[1], (match[2] or "").strip()) if match else None


def expand(command: CustomCommand, arguments: str) -> Expanded:
    """The message it expands to. The arguments go where the file says, or to the end."""
    # Single quotes don't group words: they are apostrophes.
    words = [quoted or plain for quoted, plain in _WORDS.findall(arguments)]

    def put(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return arguments
        number = int(found[1])
        return words[number - 1] if number <= len(words) else ""

    text = _PLACES.sub(put, command.body)
    if arguments and not _PLACES.search(command.body):
        text = f"{text}\n\n{arguments}"
    runs = dict.fromkeys(match[1] or match[2] for match in _RUNS.finditer(command.body))
    notes = [f"/{command.name} wants `{each}` to be run: it was not. To run it yourself: !{each}" for each in runs]
    if command.ignored:
        notes.append(f"of {command.source}, this is not followed: {', '.join(command.ignored)}")
    return Expanded(text.strip(), tuple(notes))
