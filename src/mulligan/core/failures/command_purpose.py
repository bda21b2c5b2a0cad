"""What a command is for, without its wrappers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.line import MAX_COMMAND_BYTES, read_line
from mulligan.core.command_policy.places import Folder
from mulligan.core.command_policy.programs import judge_program
from mulligan.core.command_policy.tables import CHECK_ONLY, SUBCOMMANDS
from mulligan.core.command_policy.words import Word, program_name
from mulligan.core.command_policy.wrappers import SHELLS, unwrap
from mulligan.types.commands import CommandKind

MAX_DEPTH = 6
"""Levels of wrappers in wrappers, and scripts in scripts."""

TASK_RUNNERS = frozenset({
    "npm", "yarn", "pnpm", "bun", "composer", "make", "gmake", "just", "task", "rake", "invoke", "tox", "nox",
    "pre-commit",
})  # fmt: skip
"""They run what the project's files define: their output tells more than their name."""

INTERPRETERS = frozenset({"python", "pypy", "node", "ruby", "perl", "php", "deno", "java", "tsx", "ts-node", "elixir"})
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
"""No known program has such a letter, and some of them after a brace crash the bash grammar."""
GOAL_RUNNERS = frozenset({"mvn", "gradle"})
"""`mvn clean test` has two goals."""


@dataclass(frozen=True, slots=True)
class CommandPurpose:
    """What the programs of a command line are for."""

    kinds: frozenset[CommandKind]
    delegated: bool
    """Something else decides what runs: a Makefile, a package.json, a script."""
    programs: frozenset[str]

    @property
    def tests(self) -> bool:
        return "test" in self.kinds

    @property
    def lints(self) -> bool:
        return "lint" in self.kinds

    @property
    def is_app(self) -> bool:
        """Whether it only runs a program of the project itself with an interpreter."""
        runs_code = bool(self.programs) and self.programs <= INTERPRETERS
        return runs_code and not (self.delegated or self.tests or self.lints)

    @property
    def only_builds(self) -> bool:
        return self.kinds == frozenset[CommandKind]({"build"})


def purpose_of(command: str) -> CommandPurpose:
    calls = [call for call in _calls_in(command, depth=0) if judge_program(call).kind != "read"]
    kinds: frozenset[CommandKind] = frozenset(_kind_of(call) for call in calls)
    delegated = not calls or any(_delegates(call) for call in calls)
    return CommandPurpose(kinds, delegated, frozenset(call.name for call in calls))


def _calls_in(command: str, *, depth: int) -> Iterator[Call]:
    if depth > MAX_DEPTH or len(command.encode("utf-8", "replace")) > MAX_COMMAND_BYTES:
        return
    for part in read_line(BEYOND_ASCII.sub("x", command), Folder.at_start(None)).parts:
        if part.words:
            yield from _unwrapped(tuple(part.words), part.folder, depth)


def _unwrapped(words: tuple[Word, ...], folder: Folder, depth: int) -> Iterator[Call]:
    call = Call(program_name(words[0].text), words[1:], folder)
    through = unwrap(call) if depth <= MAX_DEPTH else None
    if through is None or not (through.inner or through.scripts):
        yield call
        return
    for inner in through.inner:
        if inner:
            yield from _unwrapped(inner, folder, depth + 1)
    for script in through.scripts:
        yield from _calls_in(script, depth=depth + 1)


def _kind_of(call: Call) -> CommandKind:
    if call.name in CHECK_ONLY or f"{call.name} {call.first}" in CHECK_ONLY or call.name in ("tsc", "pre-commit"):
        return "lint"
    if call.name in GOAL_RUNNERS:
        goals: set[CommandKind] = {
            SUBCOMMANDS[call.name].get(word.text.rpartition(":")[2], "unknown") for word in call.operands
        }
        return "test" if "test" in goals else "build"
    return judge_program(call).kind


def _delegates(call: Call) -> bool:
    return call.name in TASK_RUNNERS or call.name in SHELLS or _kind_of(call) == "unknown"
