"""The command blocks of a page, as a reader meets them.

A block begins with a line of three back quotes and `sh`. Each line of it is a command; one that ends in a backslash
goes on in the next. Comments right before a block say what a reader on a code host need not see:

    <!-- not run: needs opencode -->      why the test leaves it out
    <!-- model: fixes-the-fine -->        what the scripted model says to it: scripts/fixes-the-fine.json

`# exit code 6` behind a command is for both: the reader is told, and the test expects it. Without it, 0 is expected.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"(?P<marks>(?:^<!--[^\n]*-->\n)*)^```sh\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^<!-- (?P<name>[a-z ]+): (?P<value>.+) -->$", re.MULTILINE)
_EXIT_CODE = re.compile(r"#.*\bexit code (\d+)")
_CONTINUED = "\\\n"


@dataclass(frozen=True)
class Command:
    text: str
    exit_code: int
    """That the page promises."""


@dataclass(frozen=True)
class Block:
    line: int
    """Where it begins in its page, from 1."""
    commands: tuple[Command, ...]
    not_run: str | None
    """Why a test does not run it."""
    model: str | None
    """The name of the script that the model follows meanwhile."""


MARKS = {"not run", "model"}


def blocks_of(page: Path) -> list[Block]:
    """In the order of the page. Raises `ValueError` for a comment before a block that means nothing."""
    text = page.read_text(encoding="utf-8")
    return [_block(found, text.count("\n", 0, found.start()) + 1) for found in _BLOCK.finditer(text)]


def _block(found: re.Match[str], line: int) -> Block:
    marks = {mark["name"]: mark["value"] for mark in _MARK.finditer(found["marks"])}
    if len(marks) < found["marks"].count("<!--") or not marks.keys() <= MARKS:
        raise ValueError(f"line {line}: a comment before a block says one of {sorted(MARKS)}: {found['marks']!r}")
    return Block(line, _commands(found["body"]), marks.get("not run"), marks.get("model"))


def _commands(body: str) -> tuple[Command, ...]:
    lines = body.replace(_CONTINUED, " ").splitlines()
    return tuple(Command(line, _promised(line)) for line in lines if line.strip() and not line.startswith("#"))


def _promised(line: str) -> int:
    found = _EXIT_CODE.search(line)
    return int(found[1]) if found else 0
