"""Request and response bodies of the API, where the shared types don't fit."""

from typing import Any, Literal, TypeVar

from pydantic import ConfigDict, Field

from mulligan.core.text_fields import map_texts
from mulligan.core.visible_text import visible_name
from mulligan.server.views.body import Body
from mulligan.types.hooks import Formatter, Hook
from mulligan.types.mcp import McpServerState
from mulligan.types.permissions import PermissionRule
from mulligan.types.words import Words

R = TypeVar("R", bound=Body)


def view_of(kind: type[R], source: object, **given: Any) -> R:
    """What is given, and the rest from what the source has by the same names. Every text is fit for one line."""
    taken = {name: getattr(source, name) for name in kind.model_fields if name not in given}
    return map_texts(kind.model_validate({**taken, **given}, from_attributes=True), visible_name)


class Given(Body):
    """A request body."""

    # FastAPI inspects it while it builds the routes, and suppresses pydantic's warning only then, not at first use.
    model_config = ConfigDict(defer_build=False)


class Problem(Body):
    """Every error has this body."""

    error: str
    """A message for people: what is wrong, and what to do."""


class ProjectView(Body):
    id: str
    name: str
    path: str
    git: bool
    """Without a repository there are no checkpoints, no fix runs and no external agents."""


class ServerView(Body):
    version: str
    epoch: str
    seq: int
    """The API's current responses include frames up to this number."""
    projects: tuple[ProjectView, ...]
    words: Words
    editor_link: str
    """A URL with `{path}` and `{line}` that opens a file in the user's editor; empty for none."""
    fleet: bool
    """Whether there is a fleet for `/api/fleet` to show."""


class Accepted(Body):
    """Work was started; its frames report the rest."""

    chat_id: str | None = None
    run_id: str | None = None


class Aborting(Body):
    aborted: bool
    """False: nothing was running."""


class AnswerToAsk(Given):
    granted: bool
    remember: Literal["network", "command"] | None = None
    """If the question allows it: give all commands of the project network access from now on, or allow commands with
    the prefix in `rule`."""
    reason: str = Field(default="", max_length=2_000)
    """Given with a no. The model sees it."""


class SettingChange(Given):
    place: tuple[str, ...] = Field(min_length=1, max_length=3)
    """The setting's path, as in `SettingView`."""
    value: Any = None
    """None removes it from the user's file, so that the project's value or the default applies."""


class ToolServerView(Body):
    """An MCP server."""

    name: str
    origin: str
    """The file that declares it."""
    state: McpServerState
    why: str
    personal: bool
    """The user's own, which needs no trust."""
    described: str
    """Everything that trusting it covers, line by line."""
    fingerprint: str


class RulesView(Body):
    """The user's permissions, hooks and formatters, and the MCP servers."""

    rules: tuple[PermissionRule, ...]
    hooks: tuple[Hook, ...]
    formatters: tuple[Formatter, ...]
    servers: tuple[ToolServerView, ...]
    problems: tuple[str, ...]
    """Files that can't be read, a sentence each."""


class TrustChange(Given):
    fingerprint: str | None = Field(max_length=200)
    """The fingerprint of what was shown, which is trusted from now on; None revokes trust."""


class Login(Given):
    token: str = Field(min_length=1, max_length=200)
