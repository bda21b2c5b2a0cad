"""What an agent may request from us: permissions, and nothing else. Imports the SDK."""

from collections.abc import Callable
from typing import Any, NoReturn, cast

from acp import Client, RequestError
from acp.schema import PermissionOption, RequestPermissionResponse, ToolCallUpdate

from mulligan.backends.acp.permissions import answer
from mulligan.backends.acp.turn import Turn


class AcpClient:
    """What the agent may request from us, as called by the SDK."""

    def __init__(self, turn: Callable[[], Turn | None]) -> None:
        """`turn` returns the turn that the agent is working on, if any."""
        self._turn = turn

    def as_client(self) -> Client:
        # The SDK itself answers what is missing (updates, elicitation, extensions), or never sees it.
        return cast("Client", self)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        turn = self._turn()
        of_this_turn = turn and turn.session == session_id
        return answer(options, allowed=await turn.ask(tool_call) if turn and of_this_turn else None)

    async def read_text_file(self, **_: Any) -> NoReturn:
        raise _not_offered("fs/read_text_file")

    async def write_text_file(self, **_: Any) -> NoReturn:
        raise _not_offered("fs/write_text_file")

    async def create_terminal(self, **_: Any) -> NoReturn:
        raise _not_offered("terminal/create")

    async def terminal_output(self, **_: Any) -> NoReturn:
        raise _not_offered("terminal/output")

    async def release_terminal(self, **_: Any) -> NoReturn:
        raise _not_offered("terminal/release")

    async def wait_for_terminal_exit(self, **_: Any) -> NoReturn:
        raise _not_offered("terminal/wait_for_exit")

    async def kill_terminal(self, **_: Any) -> NoReturn:
        raise _not_offered("terminal/kill")


def _not_offered(method: str) -> RequestError:
    return RequestError(-32601, f"{method} is not offered: use your own tools", {"method": method})
