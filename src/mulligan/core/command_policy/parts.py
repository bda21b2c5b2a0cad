"""What a command line is made of, once it is taken apart."""

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
    """It, or something that is piped or substituted into it, speaks to the network."""
    is_function: bool = False
    """It calls a function that stands above it, and whose own parts are judged there."""
    upstream: "Part | None" = None
    """What is piped into it."""
    script: str | None = None
    """What stands on its standard input, where the line itself says so: by a here-document, or by `echo`."""


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
    """What variables are set to, as far as it stands there."""
    functions: dict[str, str] = field(default_factory=dict[str, str])
    """Their names and texts."""
    backgrounds: list[bool] = field(default_factory=list[bool])
    """For each `&`, whether it ends what it stands in."""
    doubts: list[str] = field(default_factory=list[str])
    """Why it may not be what it seems, as sentences."""
    cut: bool = False
    """It is nested so deep, or has so many commands, that the rest was not read."""
