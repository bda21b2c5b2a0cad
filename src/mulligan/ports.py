"""The Protocols through which rooms reach each other. `wiring` puts real objects behind them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.types.frames import Frame
from mulligan.types.messages import Chat, Message, Metadata, Part, Role, Status, TurnMeta, UserMeta
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.tool_calls import Outcome, ToolSpec

if TYPE_CHECKING:  # only signatures name these, and making their classes takes 15 ms of every start
    from mulligan.types.changes import ChangeStatus, FileImage, FileWrite, PendingChange
    from mulligan.types.checkpoints import (
        AgentSession,
        Checkpoint,
        CheckpointKind,
        Restore,
        RestoreResult,
        SessionStatus,
        WorkTree,
    )
    from mulligan.types.codecontext import (
        Dependencies,
        FileAnalysis,
        FileChanges,
        Framework,
        IndexState,
        Neighborhood,
        Overview,
        Symbol,
        SymbolInfo,
        SymbolKind,
    )
    from mulligan.types.commands import CommandResult, Verdict
    from mulligan.types.edits import TextEdit

Emit = Callable[[Frame], None]
"""Where frames go. It must not block and must not raise."""

Sleep = Callable[[float], Awaitable[None]]


class Log(Protocol):
    """Where one line goes for whoever has to find out later what happened."""

    def __call__(self, event: str, **fields: Any) -> None: ...


class Model(Protocol):
    """A model that answers one request at a time with a stream of events."""

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply as it comes; the last event of a whole reply is `Finished`.

        Raises `ModelError`. Closing the iterator closes the connection, so that the server stops writing.
        """
        ...


class Tool(Protocol):
    """A schema and a thin executor."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Carry out the call. Raises `CallRejected` where the model can mend it."""
        ...


@dataclass(frozen=True, slots=True)
class FileText:
    """A text file of the project, as the model may see it."""

    path: str
    """Relative to the project, with forward slashes."""
    lines: tuple[str, ...]
    """Without line endings."""
    encoding: str
    """What the bytes were decoded with; `utf-8` unless they were not."""


@dataclass(frozen=True, slots=True)
class DirEntry:
    name: str
    """A folder's name ends in a slash."""
    size: int | None
    """Bytes; none for a folder."""


@dataclass(frozen=True, slots=True)
class Listing:
    path: str
    entries: tuple[DirEntry, ...]
    hidden: int
    """Entries left out because .gitignore covers them."""


@dataclass(frozen=True, slots=True)
class GrepQuery:
    pattern: str
    path: str = "."
    glob: str | None = None
    fixed: bool = False
    """The pattern is plain text, not a regular expression."""
    ignore_case: bool = False
    limit: int = 60
    """At most so many matching lines."""


@dataclass(frozen=True, slots=True)
class GrepMatch:
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class GrepResult:
    matches: tuple[GrepMatch, ...]
    total: int
    """All matching lines, those over the limit included."""
    files: int
    """Files with a match."""


@dataclass(frozen=True, slots=True)
class Found:
    paths: tuple[str, ...]
    """Sorted by name."""
    total: int
    """All that were found, those over the limit included."""


class Workspace(Protocol):
    """The only door to a project's files. Paths are relative to the project; nothing outside it is reached.

    Every method raises `CallRejected` with words that help: `permission_denied` for what lies outside the project or
    holds secrets, `exec_error` for what is missing, binary, too large or unreadable.
    """

    async def read_text(self, path: str) -> FileText: ...

    async def list_dir(self, path: str) -> Listing: ...

    async def find_files(self, pattern: str, path: str, limit: int) -> Found: ...

    async def grep(self, query: GrepQuery) -> GrepResult: ...


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    line: int
    """From 1."""
    text: str
    """The line itself."""


class SyntaxCheck(Protocol):
    """Tells what an edit broke."""

    def new_problems(self, path: str, before: str | None, after: str) -> tuple[SyntaxProblem, ...]:
        """Where the text does not parse though it did before. Empty where the language is not known."""
        ...


@dataclass(frozen=True, slots=True)
class Staged:
    """What came of a staged change."""

    change: PendingChange
    """`pending`, or `applied` where changes are applied as they come."""
    before: str | None
    """The text it was made from; None for a new file or one that is no text."""
    after: str | None


class Editing(Protocol):
    """Changes that one agent makes to one project. Its own reads see them at once; the disk only once they are applied.

    Every method raises `CallRejected`, and `EditRefused` where the place of an edit is not certain.
    """

    async def edit(self, path: str, edits: Sequence[TextEdit]) -> Staged:
        """All of the edits, one after the other, or none."""
        ...

    async def create(self, path: str, text: str) -> Staged: ...

    async def delete(self, path: str) -> Staged: ...

    async def waiting(self) -> int:
        """How many changes are staged and not applied."""
        ...


class Commands(Protocol):
    """The door to commands, in the project's folder, without a terminal and without secrets."""

    async def run(self, command: str, *, time_limit: float) -> CommandResult:
        """Raises `CallRejected` if it can't be started."""
        ...


class Approve(Protocol):
    """Asks the person whether a command that the policy leaves to them may run."""

    async def __call__(self, command: str, verdict: Verdict, /) -> bool: ...


class ChangeStore(Protocol):
    """Where pending changes are kept. Every method is one transaction.

    A file is written between `begin_write` and `end_write`. What a killed process began and did not end is found by
    `left_writes`, and settled by looking at the disk.
    """

    async def add_change(
        self,
        *,
        project: str,
        path: str,
        before: FileImage | None,
        after: FileImage | None,
        chat_id: str | None = None,
        message_id: str | None = None,
    ) -> PendingChange: ...

    async def find_change(self, project: str, prefix: str) -> PendingChange:
        """The change whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
        ...

    async def changes(
        self, project: str, *, statuses: Sequence[ChangeStatus] = (), chat_id: str | None = None
    ) -> list[PendingChange]:
        """In the order they were staged; all statuses if none is named."""
        ...

    async def set_change_status(self, change_id: str, status: ChangeStatus, *, expected: ChangeStatus) -> bool:
        """False, and nothing done, if it has another status by now or is being written."""
        ...

    async def begin_write(self, change_id: str, write: FileWrite, *, expected: ChangeStatus) -> bool:
        """Note that this process is about to write. False if it has another status by now, or is being written."""
        ...

    async def end_write(self, change_id: str, status: ChangeStatus) -> None:
        """The write that was begun came to this. `applied` takes its images over as those of the change."""
        ...

    async def left_writes(self, project: str) -> list[PendingChange]:
        """Changes whose write was begun by a process that is gone."""
        ...


class CodeIndex(Protocol):
    """One project's code as an index. Every method brings it up to date first, by what changed on the disk.

    Paths are relative to the project. Raises `CallRejected` with words that help where a path or a name is not known.
    """

    async def refresh(self) -> IndexState: ...

    async def overview(self) -> Overview: ...

    async def frameworks(self) -> tuple[Framework, ...]: ...

    async def neighborhoods(self, around: str | None = None) -> tuple[Neighborhood, ...]:
        """The largest first; with a path or a symbol's name, the one it is in, then those it touches."""
        ...

    async def search_symbols(
        self, query: str, *, kind: SymbolKind | None = None, limit: int = 40
    ) -> tuple[Symbol, ...]:
        """Those whose names fit best, by parts of words too; the most used of equal ones first."""
        ...

    async def dependencies(self, path: str) -> Dependencies: ...

    async def file(self, path: str) -> FileAnalysis: ...

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        """All symbols of this name, `Class.method` too; the most used first."""
        ...

    async def changes(self) -> FileChanges:
        """Since the last call in this process."""
        ...


OpenIndex = Callable[[], CodeIndex]
"""Gives the index, always the same one: what it is made of is not loaded before a tool is called."""


class CheckpointStore(Protocol):
    """Where checkpoints, work trees and restores are kept. Every method is one transaction."""

    async def add_checkpoint(
        self,
        checkpoint_id: str,
        *,
        root: str,
        commit: str,
        label: str,
        kind: CheckpointKind,
        chat_id: str | None = None,
        session_id: str | None = None,
        worktree_id: str | None = None,
        message_id: str | None = None,
    ) -> Checkpoint:
        """Keep what was captured. A `safety` checkpoint of a chat also remembers how long the chat is now."""
        ...

    async def find_checkpoint(self, root: str, prefix: str) -> Checkpoint:
        """The one of this work tree whose id begins so. Raises `ConfigurationError` if there is none, or several."""
        ...

    async def checkpoints(self, *, root: str | None = None, chat_id: str | None = None) -> list[Checkpoint]:
        """In the order they were made."""
        ...

    async def drop_checkpoints(self, ids: Sequence[str]) -> list[str]:
        """Forget them. Returns the ids whose shadow commits nobody needs any more: theirs, and those of checkpoints
        that a dropped safety checkpoint had kept for an undo."""
        ...

    async def begin_restore(self, root: str, checkpoint_id: str, safety_id: str) -> Restore:
        """Note that this process is about to restore. Raises `ConfigurationError` if another restore of this work tree
        is under way, `ChatBusy` if the chat is being answered."""
        ...

    async def end_restore(self, restore_id: str) -> RestoreResult:
        """The files are back: now the chat, the changes, the sessions and the later checkpoints follow, all at once.

        The chat is trimmed from the checkpoint's message on; for a safety checkpoint, from the length it had then, and
        what the undone restore had trimmed comes back. Whatever is taken away is kept with the restore's own safety
        checkpoint. Does nothing but report if it was ended already.
        """
        ...

    async def abandon_restore(self, restore_id: str) -> None:
        """Nothing was done: the files are as they were."""
        ...

    async def left_restores(self, root: str) -> list[Restore]:
        """Restores begun by a process that is gone."""
        ...

    async def open_session(self, *, chat_id: str, agent: str, worktree_id: str | None) -> AgentSession: ...

    async def set_session_status(self, session_id: str, status: SessionStatus) -> None: ...

    async def find_session(self, prefix: str) -> AgentSession: ...

    async def sessions(self, *, chat_id: str) -> list[AgentSession]: ...

    async def add_worktree(self, *, project: str, path: str, base_commit: str) -> WorkTree: ...

    async def worktrees(self, project: str) -> list[WorkTree]: ...

    async def drop_worktree(self, worktree_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Swept:
    """A message that its process left behind, failed by the sweeper."""

    chat_id: str
    message_id: str


class Store(Protocol):
    """What is kept. Every method is one transaction."""

    async def create_chat(self, *, project: str, agent: str, title: str) -> Chat: ...

    async def find_chat(self, prefix: str) -> Chat:
        """The chat whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
        ...

    async def list_chats(self, *, project: str | None = None) -> list[Chat]:
        """The most recently used first."""
        ...

    async def set_agent(self, chat_id: str, agent: str) -> None: ...

    async def messages(self, chat_id: str) -> list[Message]:
        """All messages of a chat with their parts, in order."""
        ...

    async def add_message(
        self,
        chat_id: str,
        *,
        role: Role,
        metadata: Metadata,
        parts: Sequence[Part] = (),
        step: int | None = None,
    ) -> Message:
        """Append a message that is complete as it is."""
        ...

    async def open_turn(self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta) -> Message:
        """Append the person's message and the assistant message that answers it, which is returned: `streaming`,
        owned by this process. Both or neither.

        Raises `ChatBusy` if a live process is already streaming into the chat; one left by a dead process is swept.
        """
        ...

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        """Append a further assistant message of the turn under way: `streaming`, owned by this process."""
        ...

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        """Write parts at the places `first`, `first + 1`, …; what stood at or after `first` is replaced.

        Also counts as a sign of life.
        """
        ...

    async def beat(self, message_id: str) -> None:
        """A sign of life for a message that streams."""
        ...

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        """End a streaming message. Does nothing if it was ended already."""
        ...

    async def sweep(self) -> list[Swept]:
        """Fail what streams with its process gone, or without a sign of life for 5 minutes. Adds an `interrupted`
        sentinel to each chat concerned."""
        ...

    async def close(self) -> None: ...
