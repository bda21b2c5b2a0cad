"""What the API answers with, where the vocabulary itself does not serve."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SecretStr

from mulligan.core.images import MOST_IMAGES
from mulligan.core.model_setup import SetupState
from mulligan.server.frames.envelopes import Ask, Envelope
from mulligan.types.base import Record
from mulligan.types.changes import ChangeKind, ChangeStatus, HunkAction
from mulligan.types.checkpoints import CheckpointKind, SessionStatus
from mulligan.types.fixing import Profile, ProfileName, ProjectCommand, RunState
from mulligan.types.hooks import Formatter, Hook
from mulligan.types.mcp import ServerState
from mulligan.types.messages import Message, QueuedMessage, Role
from mulligan.types.model_io import ContextParts
from mulligan.types.permissions import PermissionRule
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
    fleet: bool
    """There is one, and `/api/fleet` shows it."""


class ChatView(Record):
    id: str
    project_id: str
    title: str
    agent: str
    external: bool
    """Its agent is an external one: messages go to it, in the chat's work tree."""
    busy: bool
    """A turn is under way."""
    pinned: bool
    created_at: float
    updated_at: float


class DeletedChat(Record):
    """A chat that can be brought back."""

    id: str
    title: str
    deleted_at: float
    purged_at: float
    """When it is gone for good."""


class ChatEdit(Given):
    title: str | None = Field(default=None, min_length=1, max_length=200)
    pinned: bool | None = None


class ForkFrom(Given):
    message_id: str | None = None
    """The last message of the history that the new chat begins with; None: all of it."""


class GivenImage(Given):
    """An image that was kept before."""

    digest: str = Field(pattern="^[0-9a-f]{64}$")
    name: str = Field(min_length=1, max_length=200)


GivenImages = Annotated[tuple[GivenImage, ...], Field(max_length=MOST_IMAGES)]


class Resend(Given):
    message_id: str
    """A message of the person. It and all that came after it is left behind."""
    text: str = Field(min_length=1, max_length=400_000)
    agent: str | None = None
    model: str | None = Field(default=None, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    images: GivenImages = ()
    """Those that go with it, also those that the message had before."""
    where: Literal["here", "fork"] = "here"
    """`here`: files return to the checkpoint of that turn, if it has one. `fork`: in a new chat, and files stay."""


class QueuedEdit(Given):
    text: str = Field(min_length=1, max_length=400_000)


class SearchHitView(Record):
    chat_id: str
    chat_title: str
    message_id: str
    seq: int
    role: Role
    created_at: float
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    """Where the words stand in the excerpt."""


class ContextView(Record):
    tokens: int
    """Of the last request, its reply included."""
    length: int | None
    parts: ContextParts | None = None
    """What they are. They add up to `tokens`."""
    estimated: bool = False
    """Room was made since: what the next request takes is counted from characters."""


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
    queued: tuple[QueuedMessage, ...] = ()
    """What the person wants to say next, in order."""


class NewMessage(Given):
    text: str = Field(min_length=1, max_length=400_000)
    agent: str | None = None
    """Native or external. Without it the chat's own; for a new chat the configured one."""
    model: str | None = Field(default=None, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    """Overrules agent and settings for this message. For an external agent: what it is told to use."""
    images: GivenImages = ()


class Accepted(Record):
    """Work was begun; its frames tell the rest."""

    chat_id: str | None = None
    run_id: str | None = None


class Aborting(Record):
    aborted: bool
    """False: nothing was under way."""


class AnswerToAsk(Given):
    granted: bool
    remember: Literal["network", "command"] | None = None
    """Where the question says that this can be said: give all commands of the project the network from now on, or allow
    commands that begin as `rule` says."""
    reason: str = Field(default="", max_length=2_000)
    """Said with a no. The model reads it."""


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
    title: str
    size: int
    begun: int
    """Bytes of a download that was cut off."""
    downloading: bool
    """By this server, now."""
    memory: int
    present: bool
    default: bool


class EngineView(Record):
    """What runs embedded models."""

    version: str | None
    """None: it is not installed, and no model is downloaded without it."""
    install: str
    """What a person types to get it."""


class LookedFor(Record):
    """A server that is looked for on this machine."""

    name: str
    port: int
    server: str | None
    """Its address, if something answered there."""


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
    setup: SetupState
    """Whether a person has to choose a model first."""
    problem: str
    """Why nothing answers, or the server that is set does not; empty if all is well."""
    set_server: str | None
    """The server that is set: no other is looked for."""
    looked_for: tuple[LookedFor, ...]
    """Empty where a server is set, or none is to be looked for."""
    found: tuple[FoundModel, ...]
    """On servers of this machine, or on the one that is configured."""
    embedded: tuple[EmbeddedView, ...]
    models_folder: str
    """Where embedded models are put."""
    engine: EngineView
    services: tuple[str, ...]
    """Services whose key stands in the environment. They are used only once chosen."""
    profiles: tuple[ModelProfile, ...]
    """What is known of models that were used or probed."""


class ProbeView(Record):
    profile: ModelProfile
    findings: tuple[str, ...]


class ChoicesView(Record):
    """Who can answer, and with which model."""

    agent: str
    """Who answers if nobody says otherwise."""
    agents: tuple[AgentView, ...]
    """Native ones, then external ones, found on this machine or not. Versions are there from the second time on."""
    models: ModelsView


class ServerAddress(Given):
    base_url: str = Field(min_length=1, max_length=2000)
    """As a person types it: `localhost:11434` will do."""
    api_key: SecretStr | None = Field(default=None, max_length=10_000)


class ServerTest(Record):
    """What came of asking a model server for its models. No model was asked anything."""

    base_url: str
    """The whole address."""
    answers: bool
    kind: str
    models: tuple[str, ...]
    words: str
    """The same in a sentence."""


class ChosenModel(Given):
    """The model that is to answer from now on. It goes into the person's settings."""

    model: str = Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    base_url: str | None = Field(default=None, max_length=2000)
    """None leaves the server as it is set, for an embedded model."""
    api_key: SecretStr | None = Field(default=None, max_length=10_000)
    """For this server. None keeps the one that is set, if it is for the same server."""


class ModelName(Given):
    model: str = Field(min_length=1, max_length=500)


class SettingChange(Given):
    place: tuple[str, ...] = Field(min_length=1, max_length=3)
    """As `SettingView` has it."""
    value: Any = None
    """None takes it out of the person's file, so that the project's or the default counts."""


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


class CompletionView(Record):
    """What can stand for a name that is begun in a message."""

    text: str
    """In place of what was begun, its mark included."""
    about: str
    kind: Literal["file", "folder", "symbol", "command"]


class ToolServerView(Record):
    """An MCP server."""

    name: str
    origin: str
    """The file that declares it."""
    state: ServerState
    why: str
    personal: bool
    """The person's own, which needs no trust."""
    described: str
    """All that a yes to it is about, line by line."""
    fingerprint: str


class RulesView(Record):
    """What the person allows, has run at events, and which servers lend their tools."""

    rules: tuple[PermissionRule, ...]
    hooks: tuple[Hook, ...]
    formatters: tuple[Formatter, ...]
    servers: tuple[ToolServerView, ...]
    problems: tuple[str, ...]
    """Files that can't be read, a sentence each."""


class TrustChange(Given):
    fingerprint: str | None = Field(max_length=200)
    """What was shown of the server, which is trusted from now on; None takes the trust back."""


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
