"""Questions to the user in their editor: a command, a change, a restore, a download. Imports the SDK."""

from collections.abc import Awaitable, Callable, Sequence

from acp import RequestError
from acp.interfaces import Client
from acp.schema import AllowedOutcome, PermissionOption, PermissionOptionKind, ToolCallUpdate
from pydantic import ValidationError

from mulligan.core.visible_text import in_full, visible
from mulligan.types.commands import PolicyVerdict

YES, ALWAYS, NO = "yes", "always", "no"


class Questions:
    """The questions of one session. Text before a question is shown before it."""

    def __init__(self, client: Client, session_id: str, settle: Callable[[], Awaitable[None]]) -> None:
        """`settle` waits until all updates have been sent."""
        self._client = client
        self._session_id = session_id
        self._settle = settle

    async def ask(self, call: ToolCallUpdate, options: Sequence[PermissionOption]) -> str | None:
        """The id of the chosen option; None if nobody chose: the question was withdrawn, or the client can't ask."""
        await self._settle()
        try:
            answer = await self._client.request_permission(self._session_id, call, list(options))
        except (RequestError, ValidationError, ConnectionError):
            return None
        chosen = answer.outcome.option_id if isinstance(answer.outcome, AllowedOutcome) else None
        return chosen if any(option.option_id == chosen for option in options) else None


def options(yes: str, no: str, always: str = "") -> list[PermissionOption]:
    """Yes, always if possible, and no."""
    offered: list[tuple[str, str, PermissionOptionKind]] = [
        (YES, yes, "allow_once"),
        (ALWAYS, always, "allow_always"),
        (NO, no, "reject_once"),
    ]
    return [PermissionOption(option_id=key, name=words, kind=kind) for key, words, kind in offered if words]


def command_options(verdict: PolicyVerdict) -> list[PermissionOption]:
    """The possible answers about a command; what can be allowed permanently is the same as on the page."""
    always = ""
    if "network" in verdict.opens:
        always = "Always allow this project's commands the network"
    elif verdict.rule:
        always = f"Always allow commands that start with: {in_full(verdict.rule)}"
    return options("Run it", "Don't run it", always)


def command_words(command: str, verdict: PolicyVerdict) -> str:
    """The whole command and why we ask, with nothing hidden in it."""
    return f"{in_full(command)}\n\n{visible(verdict.reason)}"
