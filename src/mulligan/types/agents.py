"""Agents as data: our own, external ones, and what streams from these while they work."""

from typing import Literal

from mulligan.types.base import Record, field
from mulligan.types.frozen import frozen
from mulligan.types.tool_calls import JsonObject


class AgentSpec(Record):
    name: str
    description: str = ""
    prompt: str
    tools: tuple[str, ...] = ()
    """The tools it may call, by name."""
    steps: int | None = None
    """Steps that a turn may take; none means the general cap; 0 means one reply without tools."""
    model: str | None = None
    """Overrules the configured model."""
    source: str = "built in"
    """Where it was defined: `built in`, or the file."""


BackendKind = Literal["acp", "opencode_server", "one_shot"]
"""`acp`: a child that stays, one a chat. `opencode_server`: its own HTTP server. `one_shot`: a command a turn."""

StreamFormat = Literal["claude", "codex", "goose", "opencode", "text"]
"""How a one-shot agent writes what it does. qwen writes as claude does; `text` is plain output."""


class ExternalAgent(Record):
    """An agent that is not ours: which command it is, and how it is talked to."""

    name: str
    description: str = ""
    kind: BackendKind
    command: tuple[str, ...] = field(min_length=1)
    """The program and its arguments. For a one-shot agent `{prompt}` stands for the prompt; without it, it is written
    to standard input."""
    env: dict[str, str] = field(default_factory=dict)
    """Added to the person's own environment: people want their agent with its own login."""
    model_args: tuple[str, ...] = ()
    """Added to the command if a model was chosen; `{model}` stands for it."""
    model_env: dict[str, str] = field(default_factory=dict)
    """The same for the environment."""
    mode: str | None = None
    """The session mode to set over ACP, where the agent offers it: defaults differ, and one is to ask nobody."""
    format: StreamFormat = "text"
    resume_args: tuple[str, ...] = ()
    """Added to a one-shot command to go on in a session; `{session}` stands for its id."""
    leaves_behind: tuple[str, ...] = ()
    """Files that it writes and that are no work of its own, as lines of a .gitignore: caches, histories. Where they are
    new, they stay in its work tree."""
    home_folders: tuple[str, ...] | None = None
    """Folders in the person's home that are its own: its login, its settings, its sessions. Where they are named, it
    runs in a sandbox and sees nothing else of the home; None where it does not: it may need what nobody knows of."""
    version_args: tuple[str, ...] = ("--version",)
    install: str = ""
    """What a person types to get it."""
    source: str = "built in"
    """Where it was defined."""


@frozen
class AgentText:
    text: str


@frozen
class AgentReasoning:
    text: str


@frozen
class AgentToolCall:
    call_id: str
    title: str
    """What the agent says it does, or the tool's name."""
    arguments: JsonObject


@frozen
class AgentToolUpdate:
    """May come for a call that was never announced, and may never come."""

    call_id: str
    status: Literal["running", "completed", "failed"]
    content: str = ""


@frozen
class AgentPlan:
    entries: tuple[str, ...]


@frozen
class AgentDone:
    """The last event of a turn, always."""

    how: Literal["finished", "cancelled", "failed"]
    detail: str = ""
    """Why it failed, in a sentence for a person."""


AgentEvent = AgentText | AgentReasoning | AgentToolCall | AgentToolUpdate | AgentPlan | AgentDone


@frozen
class PermissionRequest:
    """What an agent wants to be allowed."""

    title: str
    kind: str
    """As the agent says: `edit`, `execute`, `fetch`, …; empty if it does not."""
    command: str | None
    """The command line, where it asks to run one."""
    paths: tuple[str, ...]
    """Files it is about, as the agent writes them."""


@frozen
class Health:
    alive: bool
    detail: str
    """For a person: the pid and since when, or why it is gone."""
