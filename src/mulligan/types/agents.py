"""Agents as data: our own, external ones, and the events of an external agent's turn."""

from typing import Literal

from mulligan.types.base import Record, field
from mulligan.types.frozen import frozen
from mulligan.types.tool_calls import JsonObject


class AgentSpec(Record):
    name: str
    description: str = ""
    prompt: str
    tools: tuple[str, ...] = ()
    """Names of the tools that it may call."""
    steps: int | None = None
    """Step limit of a turn. None: the general limit. 0: one reply without tools."""
    model: str | None = None
    """Overrides the configured model."""
    source: str = "built in"
    """Where it is defined: `built in`, or a file."""


BackendKind = Literal["acp", "opencode_server", "one_shot"]
"""`acp`: a long-lived child process per chat. `opencode_server`: its own HTTP server. `one_shot`: a command per turn.
"""

StreamFormat = Literal["claude", "codex", "goose", "opencode", "text"]
"""The output format of a one-shot agent. qwen uses that of claude; `text` is plain output."""


class ExternalAgent(Record):
    """An agent that is not ours: its command, and how to talk to it."""

    name: str
    description: str = ""
    kind: BackendKind
    command: tuple[str, ...] = field(min_length=1)
    """The program and its arguments. For a one-shot agent `{prompt}` is replaced by the prompt; without it, the prompt
    is written to standard input."""
    env: dict[str, str] = field(default_factory=dict)
    """Added to the user's environment, so that the agent uses its own login."""
    model_args: tuple[str, ...] = ()
    """Added to the command if a model was chosen; `{model}` is replaced by its name."""
    model_env: dict[str, str] = field(default_factory=dict)
    """Added to the environment if a model was chosen, in the same way."""
    mode: str | None = None
    """The session mode to set over ACP, if the agent offers it: defaults differ, and one of them never asks."""
    format: StreamFormat = "text"
    resume_args: tuple[str, ...] = ()
    """Added to a one-shot command to continue a session; `{session}` is replaced by its id."""
    leaves_behind: tuple[str, ...] = ()
    """Files that it writes and that are not work, such as caches and histories, as lines of a .gitignore. New ones stay
    in its work tree."""
    home_folders: tuple[str, ...] | None = None
    """Its own folders in the user's home: login, settings, sessions. If given, it runs in a sandbox and sees nothing
    else of the home. None: it runs without a sandbox, because nobody knows what it needs."""
    version_args: tuple[str, ...] = ("--version",)
    install: str = ""
    """The command that installs it."""
    source: str = "built in"
    """Where it is defined."""


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
    """The agent's description of the call, or the tool's name."""
    arguments: JsonObject


@frozen
class AgentToolUpdate:
    """Progress of a call. It may come for a call that was never announced, or not at all."""

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
    """Why it failed, in a sentence for the user."""


AgentEvent = AgentText | AgentReasoning | AgentToolCall | AgentToolUpdate | AgentPlan | AgentDone


@frozen
class PermissionRequest:
    """An agent's request for permission."""

    title: str
    kind: str
    """The kind of action as the agent calls it: `edit`, `execute`, `fetch`, …; empty if unknown."""
    command: str | None
    """The command line, if it asks to run one."""
    paths: tuple[str, ...]
    """The files concerned, as the agent writes their paths."""


@frozen
class Health:
    alive: bool
    detail: str
    """For the user: the pid and the start time, or why it ended."""
