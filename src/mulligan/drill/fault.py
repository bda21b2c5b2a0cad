"""A fault: what the model does wrong, what must result from it, and what a drill reports about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Concatenate, Literal, ParamSpec

from mulligan.drill.observed import FinishedCommand, Observation
from mulligan.models.scripted.script import Script
from mulligan.types.base import Record
from mulligan.types.sandbox import SandboxMechanism

Group = Literal[
    "loops", "calls", "formats", "edits", "replies", "server", "context", "commands", "sandbox", "files", "fix runs",
    "proxy",
]  # fmt: skip

Claim = Callable[[Observation], str | None]
"""Something that has to hold. Returns a sentence on why it does not, or None."""
P = ParamSpec("P")


def claim(check: Callable[Concatenate[Observation, P], str | None]) -> Callable[P, Claim]:
    """Turn a check of an observation into a function that takes its other arguments and returns a claim."""

    def with_arguments(*given: P.args, **named: P.kwargs) -> Claim:
        return lambda seen: check(seen, *given, **named)

    return with_arguments


Words = Sequence[str] | Callable[[Sequence[FinishedCommand]], Sequence[str]]
"""The words of a command. If they depend on an earlier one, such as on an id, they are computed from those so far."""

FILES: Mapping[str, str] = {
    f"{name}.py": f"def {name}():\n    return '{name}'\n" for name in ("one", "two", "three", "four", "five", "six")
}
"""The project of most faults."""


@dataclass(frozen=True, slots=True)
class CommandStep:
    """A Mulligan command, as the user would type it."""

    words: Words
    """Without `mulligan` before them, and without the options that every run gets: --json, -C and the server's."""
    script: Script | None = None
    """What the model says. None: the command asks no model."""
    dead: bool = False
    """Nobody listens at the address of the model."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """`{project}` in a value stands for the project's folder."""


@dataclass(frozen=True, slots=True)
class ProxyStep:
    """Another agent, which asks the model through `mulligan proxy` until a reply has no calls."""

    script: Script
    """What the model says."""
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the agent's tools give back, by their names, where it is not the usual."""


@dataclass(frozen=True, slots=True)
class FolderStep:
    """Something that the user or the world does to the project's folder between two commands."""

    do: Callable[[Path], None]


Step = CommandStep | FolderStep | ProxyStep


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    """What `--only` takes: lower case, with dashes."""
    title: str
    """What goes wrong, in a few words."""
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    files: Mapping[str, str | bytes] = field(default_factory=lambda: FILES)
    """The project, by path."""
    repository: bool = False
    """The project is a git repository, and its files are committed."""
    settings: str = ""
    """The user's own `mulligan.toml`."""
    outside: Mapping[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    """Files next to the project, by path. If there are any, the folder `user` is the user's home."""
    mechanism: SandboxMechanism | None = None
    """Confines the commands. Where it does not work, the fault is not played: it would do harm."""
    promise: str = ""
    """The promise of the sandbox that is attacked, by its name."""
    group: Group | Literal[""] = ""
    """The gallery fills it in."""


class Outcome(Record):
    """The result of one fault."""

    type: Literal["drill_fault"] = "drill_fault"
    name: str
    title: str
    group: str
    did: str
    """What Mulligan did, in a few words, read from what was seen."""
    requests: int
    """Requests to the model."""
    played: bool = True
    """False: it can't be played on this machine, and nothing is known of it."""
    holds: bool
    problems: tuple[str, ...]
    """What does not hold, and why. Empty if all does."""
    seconds: float


class DrillEnd(Record):
    """The last line."""

    type: Literal["drill_end"] = "drill_end"
    version: str
    faults: int
    held: int
    requests: int
    seconds: float

    @property
    def exit_code(self) -> int:
        """0 only if all hold. A broken guard is a fault of Mulligan's own."""
        return 0 if self.held == self.faults else 1
