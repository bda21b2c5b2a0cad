"""The user's hooks, which run at events of a turn, and formatters."""

from typing import Literal

from mulligan.types.base import Record, field
from mulligan.types.frozen import frozen

HookEvent = Literal["before_tool", "after_tool", "after_edit", "turn_end"]


class Hook(Record):
    """A row `[[hooks]]` of the user's settings file."""

    event: HookEvent
    """When it runs: `before_tool`, `after_tool`, `after_edit` or `turn_end`."""
    command: str = field(min_length=1)
    """A shell command. It gets JSON on its standard input."""
    tool: str = field(default="*", min_length=1)
    """Only for tools of this name or pattern."""
    path: str | None = field(default=None, min_length=1)
    """Only for files that match this glob."""
    timeout: float = field(default=30.0, gt=0, le=600)
    """Seconds after which it has failed."""


class Formatter(Record):
    """A row `[[formatters]]` of the user's settings file."""

    path: str = field(min_length=1)
    """A glob for the files to format. Of several matching rows, the first counts."""
    command: str = field(min_length=1)
    """A shell command that reads the file's text and prints it formatted. `{path}` is replaced by the file's path."""
    timeout: float = field(default=10.0, gt=0, le=120)
    """Seconds after which the text is left as it is."""


@frozen
class HookAnswer:
    """The combined answer of the hooks of one event."""

    veto: str = ""
    """Why the call is refused, for the model. Empty: it is not."""
    troubles: tuple[str, ...] = ()
    """Failed hooks, each in a sentence for the user."""
