"""What can be seen of Mulligan from outside while a fault is played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mulligan.types.tool_calls import JsonObject


@dataclass(frozen=True, slots=True)
class ProxiedReply:
    """What another agent sent to the proxy, and what it got."""

    sent: JsonObject
    status: int | None
    """Of HTTP; None: there was no answer."""
    raw: bytes
    """As far as it came."""
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments, as they were written."""
    finish: str | None = None
    """The reason for its end, if it came to one."""


@dataclass(frozen=True, slots=True)
class FinishedCommand:
    """A command that ran to its end, or was ended."""

    words: tuple[str, ...]
    """The whole command line after `mulligan`."""
    exit_code: int | None
    """None: it had to be ended, because it took too long."""
    frames: tuple[dict[str, Any], ...]
    """What `--json` printed."""
    stderr: str
    requests: tuple[JsonObject, ...]
    """What the model was asked, request by request: the bodies."""
    seconds: float
    replies: tuple[ProxiedReply, ...] = ()
    """What another agent got through the command, if it is the proxy."""

    @property
    def last(self) -> dict[str, Any]:
        return self.frames[-1] if self.frames else {}

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame.get("type") == kind]

    @property
    def sentinels(self) -> list[dict[str, Any]]:
        """What they say of themselves: `kind` and the fields of that kind."""
        return [frame["message"]["metadata"] for frame in self.of_type("sentinel")]


@dataclass(frozen=True, slots=True)
class Photo:
    """The project at one moment."""

    files: Mapping[str, bytes]
    """By path, without what belongs to git and to Mulligan."""
    git: str | None
    """HEAD, branches, tags, the index and `git status`, as git tells them. None: no repository."""
    notes: Mapping[str, str] = field(compare=False)
    """What Mulligan writes into `.mulligan` for people to read, by path."""
    outside: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """What lies beside the project, by path: content, and for folders and files their mode and times."""


@dataclass(frozen=True, slots=True)
class Observation:
    runs: tuple[FinishedCommand, ...]
    photos: tuple[Photo, ...]
    """One from before the first step, and one from after each step, also where no command ran."""

    @property
    def last(self) -> FinishedCommand:
        return self.runs[-1]

    @property
    def before(self) -> Photo:
        return self.photos[0]

    @property
    def after(self) -> Photo:
        return self.photos[-1]

    @property
    def requests(self) -> int:
        return sum(len(run.requests) for run in self.runs)

    def frames(self, kind: str) -> Iterator[dict[str, Any]]:
        """All frames of a type, of all runs."""
        for run in self.runs:
            yield from run.of_type(kind)
