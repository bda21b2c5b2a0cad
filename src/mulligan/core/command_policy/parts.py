"""The parts of a parsed command line."""

from dataclasses import dataclass, field

from mulligan.core.command_policy.places import Folder
from mulligan.core.command_policy.words import Word
from mulligan.types.frozen import frozen


@dataclass(slots=True)
class Part:
    """A simple command."""

    text: str
    words: list[Word]
    """The program first; without assignments and redirections."""
    folder: Folder
    from_network: bool = False
    """It, or something piped or substituted into it, uses the network."""
    is_function: bool = False
    """It calls a function defined earlier in the line, whose own parts are judged there."""
    upstream: "Part | None" = None
    """The command that is piped into it."""
    script: str | None = None
    """Its standard input, if the line contains it: from a here-document, or from `echo`."""


@frozen
class Redirect:
    text: str
    target: Word
    writes: bool
    folder: Folder


@frozen
class Assignment:
    name: str
    value: Word
    program: str | None
    """The command that gets it in its environment; None for a variable of the shell."""


@dataclass(slots=True)
class Line:
    parts: list[Part] = field(default_factory=list[Part])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    assigned: list[Assignment] = field(default_factory=list[Assignment])
    values: list[str] = field(default_factory=list[str])
    """Values assigned to variables, as far as the line shows them."""
    functions: dict[str, str] = field(default_factory=dict[str, str])
    """Names and texts of functions."""
    backgrounds: list[bool] = field(default_factory=list[bool])
    """For each `&`, whether it ends the block around it."""
    doubts: list[str] = field(default_factory=list[str])
    """Why the line may not do what it seems to, as sentences."""
    cut: bool = False
    """The rest was not read: nesting too deep, or too many commands."""
