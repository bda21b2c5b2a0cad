"""Commands of the user's own that run at events of a turn, and formatters."""

from typing import Literal

from mulligan.types.base import Record, field
from mulligan.types.frozen import frozen

HookEvent = Literal["before_tool", "after_tool", "after_edit", "turn_end"]


class Hook(Record):
    """A row: `[[hooks]]` in the user's own file."""

    event: HookEvent
    """When it runs: `before_tool`, `after_tool`, `after_edit` or `turn_end`."""
    command: str = field(min_length=1)
    """For the shell. It gets JSON on its standard input."""
    tool: str = field(default="*", min_length=1)
    """Only for tools of this name or pattern."""
    path: str | None = field(default=None, min_length=1)
    """Only for files that fit this glob."""
    timeout: float = field(default=30.0, gt=0, le=600)
    """Seconds. One that takes longer has failed."""


class Formatter(Record):
    """A row: `[[formatters]]` in the user's own file."""

    path: str = field(min_length=1)
    """The files it is for, as a glob. Of several rows that fit, the first counts."""
    command: str = field(min_length=1)
    """For the shell: it reads the file's text and prints it formatted. `{path}` stands for the file's path."""
    timeout: float = field(default=10.0, gt=0, le=120)
    """Seconds. If it takes longer, the text stays as it is."""


@frozen
class HookAnswer:
    """What the hooks of one event said together."""

    veto: str = ""
    """Why not, for the model. Empty: go on."""
    troubles: tuple[str, ...] = ()
    """Hooks that could not do their work, each in a sentence for the user."""
