"""What can be observed of Mulligan from outside while a fault is played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mulligan.types.tool_calls import JsonObject


@dataclass(frozen=True, slots=True)
class ProxiedReply:
    """What another agent sent to the proxy, and what it got."""

    sent: JsonObject
    status: int | None
    """The HTTP status; None if there was no answer."""
    raw: bytes
    """The bytes that arrived."""
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments, as the model wrote them."""
    finish: str | None = None
    """The finish reason, if the reply has one."""


@dataclass(frozen=True, slots=True)
class FinishedCommand:
    """A command that ended, or was killed."""

    words: tuple[str, ...]
    """The whole command line after `mulligan`."""
    exit_code: int | None
    """None: it took too long and was killed."""
    frames: tuple[dict[str, Any], ...]
    """What `--json` printed."""
    stderr: str
    requests: tuple[JsonObject, ...]
    """The bodies of the requests to the model."""
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
        """Their metadata: `kind` and the fields of that kind."""
        return [frame["message"]["metadata"] for frame in self.of_type("sentinel")]


@dataclass(frozen=True, slots=True)
class Photo:
    """The project at one moment."""

    files: Mapping[str, bytes]
    """Contents by path, without files of git and of Mulligan."""
    git: str | None
    """HEAD, branches, tags, the index and `git status`, as git prints them. None: no repository."""
    notes: Mapping[str, str] = field(compare=False)
    """What Mulligan writes to `.mulligan` for users to read, by path."""
    outside: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Files and folders next to the project, by path: content, mode and times."""


@dataclass(frozen=True, slots=True)
class Observation:
    runs: tuple[FinishedCommand, ...]
    photos: tuple[Photo, ...]
    """Photos: one from before the first step, and one from after each step, including those without a command."""

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
