"""What the API answers with, where the vocabulary itself does not serve."""

from typing import Literal

from pydantic import ConfigDict, Field

from mulligan.server.frames.envelopes import Ask, Envelope
from mulligan.types.base import Record
from mulligan.types.changes import ChangeKind, ChangeStatus, HunkAction
from mulligan.types.checkpoints import CheckpointKind, SessionStatus
from mulligan.types.fixing import Profile, ProfileName, ProjectCommand, RunState
from mulligan.types.messages import Message
from mulligan.types.profiles import Agency, ModelProfile
from mulligan.types.symbols import SymbolKind
from mulligan.types.words import Words


class Given(Record):
    """A body of a request."""

    # FastAPI looks at it while it builds the routes, and asks pydantic not to warn just then: not later, at first use.
    model_config = ConfigDict(defer_build=False)


class Problem(Record):
    """Every refusal has this body."""

    error: str
    """In words for a person: what is wrong, and what to do."""


class ProjectView(Record):
    id: str
    name: str
    path: str
    git: bool
    """Without a repository there are no checkpoints, no fix runs and no external agents."""


class ServerView(Record):
    version: str
    epoch: str
    seq: int
    """Frames up to this number are in what the API answers now."""
    projects: tuple[ProjectView, ...]
    words: Words
    editor_link: str
    """An address with `{path}` and `{line}` in it, at which the person's editor opens a file; empty for none."""


class ChatView(Record):
    id: str
    project_id: str
    title: str
    agent: str
    external: bool
    """Its agent is an external one: messages go to it, in the chat's work tree."""
    busy: bool
    """A turn is under way."""
    created_at: float
    updated_at: float


class ContextView(Record):
    tokens: int
    """Of the last request, its reply included."""
    length: int | None


class ChatDetail(Record):
    chat: ChatView
    messages: tuple[Message, ...]
    """A part of them, the newest or those asked for, in order."""
    texts: dict[str, str]
    """The sentence for each sentinel among them, by message id."""
    earlier: bool
    """There are messages before the first of these."""
    live: tuple[Envelope, ...]
    """All frames of the turn under way so far. They tell its streaming messages from their beginning; of these, `parts`
    above may be behind."""
    elsewhere: bool
    """A turn is under way in another process, so no frames will come: ask again after a while."""
    seq: int
    """Frames up to this number are in the answer."""
    context: ContextView | None
    asks: tuple[Ask, ...]
    can_continue: bool
    continue_refused: str
    """Why not, in a sentence."""
    checkpoints: tuple["CheckpointView", ...]
    """Of this chat, in the order they were made."""
    restores: tuple["RestoreMarkView", ...]
    """Restores that the chat stands on, in the order they were made."""
    pending: int
    """Pending changes of this chat."""


class NewMessage(Given):
    text: str = Field(min_length=1, max_length=400_000)
    agent: str | None = None
    """Native or external. Without it the chat's own; for a new chat the configured one."""
    model: str | None = Field(default=None, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    """Overrules agent and settings for this message. For an external agent: what it is told to use."""


class Accepted(Record):
    """Work was begun; its frames tell the rest."""

    chat_id: str | None = None
    run_id: str | None = None


class Aborting(Record):
    aborted: bool
    """False: nothing was under way."""


class AnswerToAsk(Given):
    granted: bool
    remember: bool = False
    """Give all commands of the project the network from now on, where the question says that this can be said."""


class AgentView(Record):
    name: str
    description: str
    kind: Literal["native", "external"]
    writes: bool
    here: bool
    """An external agent whose program was not found can't be used."""
    version: str | None = None
    install: str = ""
    """What a person types to get it."""
    tools: tuple[str, ...] = ()
    source: str = ""


class EmbeddedView(Record):
    name: str
    """As it is chosen with `--model`: with `embedded:` before it."""
    size: int
    memory: int
    present: bool
    default: bool


class FoundModel(Record):
    name: str
    """As it is chosen with `--model`."""
    server: str
    kind: str


class ModelsView(Record):
    chosen: str | None
    """What answers if nobody says otherwise; None if that is not known before the first turn."""
    server: str | None
    agency: Agency | None
    found: tuple[FoundModel, ...]
    """On servers of this machine, or on the one that is configured."""
    embedded: tuple[EmbeddedView, ...]
    profiles: tuple[ModelProfile, ...]
    """What is known of models that were used or probed."""


class ProbeView(Record):
    profile: ModelProfile
    findings: tuple[str, ...]


class DiffLine(Record):
    mark: Literal[" ", "+", "-"]
    old: int | None
    """Its number before; None for a line that is new."""
    new: int | None
    text: str
    """Without its line ending. Characters that a screen would hide or obey are written out."""
    hunk: int | None = None
    """The hunk, from 0, that a changed line belongs to, whatever context was asked for."""


class Hunk(Record):
    lines: tuple[DiffLine, ...]


class ChangeView(Record):
    id: str
    path: str
    kind: ChangeKind
    status: ChangeStatus
    seq: int
    chat_id: str | None
    message_id: str | None
    added: int | None
    """Lines; None where there is no text to compare."""
    removed: int | None
    notes: tuple[str, ...]
    """What lines don't show: binary, a symbolic link, a changed mode, no newline at the end."""
    created_at: float
    updated_at: float


class ChangeDetail(Record):
    change: ChangeView
    hunks: tuple[Hunk, ...]


class ChangeIds(Given):
    ids: tuple[str, ...] | None = Field(default=None, max_length=10_000)
    """None: all that it can be done to."""
    chat_id: str | None = None
    """Only those of this chat."""


class HunkChoice(Given):
    """Hunks of a pending change that the person has decided on."""

    action: HunkAction
    hunks: tuple[int, ...] = Field(min_length=1, max_length=10_000)
    seen: float
    """`updated_at` of the change as the person saw it: hunks of another moment have other numbers."""


class ChangeOutcomeView(Record):
    change: ChangeView
    success: bool
    message: str


class CheckpointView(Record):
    id: str
    seq: int
    session_id: str | None
    chat_id: str | None
    message_id: str | None
    """The assistant message of the turn that it was made before."""
    label: str
    kind: CheckpointKind
    worktree: bool
    """Of a work tree of an external agent or a run, not of the project itself."""
    created_at: float


class SessionView(Record):
    """An agent that writes, at work for a chat. A restore marks it as crashed, and the next turn opens another."""

    id: str
    chat_id: str
    agent: str
    status: SessionStatus
    worktree: str | None
    """The folder in which it works; None: in the project itself, by pending changes."""
    created_at: float
    updated_at: float


class NewCheckpoint(Given):
    label: str = Field(default="", max_length=200)


class Kept(Record):
    commit: str
    subject: str
    kept_under: str


class FileDiff(Record):
    path: str
    diff: str
    """Unified; empty for what has no text, or is too long to be shown."""


class RestoreMarkView(Record):
    """A restore that a chat stands on, with the way back."""

    id: str
    label: str
    """Of the checkpoint that was returned to."""
    undoes: bool
    """It took back another one."""
    at_seq: int
    """It stands before the messages from this place on."""
    messages_deleted: int
    safety: CheckpointView
    """An undo is a restore to it."""
    done_at: float


class RestorePreview(Record):
    checkpoint: CheckpointView
    writes: tuple[str, ...]
    creates: tuple[str, ...]
    deletes: tuple[str, ...]
    left_alone: tuple[str, ...]
    """Each with the reason."""
    head_moves: bool
    head: str
    """Where HEAD goes, in words."""
    set_aside: tuple[Kept, ...]
    branches: tuple[str, ...]
    """What becomes of branches and HEAD, a sentence each. A person is asked about it separately."""
    diffs: tuple[FileDiff, ...]
    """From how files are now to how they would be."""
    messages: int
    """Messages that would be taken out of the chat."""
    rejects: tuple[str, ...]
    """Files whose pending changes would be rejected with their messages."""
    question: str
    """What the person had asked, so that they can ask it anew; empty where that is not known."""


class RunLimits(Record):
    """What a run may use up."""

    checks: int
    """Commands of Mulligan's own."""
    check_seconds: float
    profiles: tuple[Profile, ...]
    """What the model may ask for."""


class RunView(Record):
    id: str
    project_id: str
    state: RunState
    running: bool
    here: bool
    """By this server, so that frames come and it can be aborted."""
    attempts: int
    """That were begun, the one that passed among them."""
    updated_at: float


class RunDetail(Record):
    run: RunView
    live: tuple[Envelope, ...]
    """All frames so far, if it runs here; else empty."""
    seq: int
    asks: tuple[Ask, ...]
    report: str | None
    """Markdown, once it has ended."""
    advice: tuple[str, ...]
    """What a person can do after it, the most useful first, in Markdown; empty while it runs."""
    begin_with: str
    """The command that runs the failing test with which a new run should begin; empty where there is none."""
    chats: tuple[str, ...]
    """The coder's conversations, in the order they were begun."""
    pending: int
    limits: RunLimits


class RunLog(Record):
    """All that a command of a run wrote, with what looks like a key or a password masked."""

    text: str


class NewRun(Given):
    goal: str = Field(min_length=1, max_length=20_000)
    profile: ProfileName = "fast"
    verify: tuple[str, ...] = Field(default=(), max_length=20)
    time_limit: float = Field(default=300.0, gt=0, le=86_400)
    model: str | None = None


class CommandsView(Record):
    commands: tuple[ProjectCommand, ...]
    limits: RunLimits
    """Of a run that they would judge."""


class SymbolView(Record):
    name: str
    kind: SymbolKind
    path: str
    line: int
    signature: str
    doc: str
    parent: str


class GroupView(Record):
    name: str
    files: tuple[str, ...]
    symbols: tuple[str, ...]


class MapFile(Record):
    path: str
    score: float
    why: tuple[str, ...]


class OverviewView(Record):
    files: int
    lines: int
    languages: tuple[tuple[str, int, int], ...]
    """Name, files, lines."""
    entry_points: tuple[tuple[str, str], ...]
    """Path, and what starts there."""
    important: tuple[MapFile, ...]
    symbols: tuple[SymbolView, ...]
    groups: tuple[GroupView, ...]
    documents: tuple[str, ...]
    folders: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]
    frameworks: tuple[str, ...]
    """Each in a line."""


class IndexProgressView(Record):
    read: int
    of: int
    """Files that are new or changed; 0 while nothing has to be read."""


class SourceView(Record):
    path: str
    lines: tuple[str, ...]
    """Characters that a screen would hide or obey are written out."""
    left_out: int
    """Lines at the end of a long file."""


class LinkView(Record):
    path: str
    names: tuple[str, ...]


class FileView(Record):
    path: str
    language: str | None
    lines: int
    rank: int
    doc: str
    symbols: tuple[SymbolView, ...]
    imports: tuple[LinkView, ...]
    imported_by: tuple[LinkView, ...]
    external: tuple[str, ...]


class Login(Given):
    token: str = Field(min_length=1, max_length=200)
