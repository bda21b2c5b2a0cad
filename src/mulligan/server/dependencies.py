"""How a route gets the server's state."""

from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from mulligan.server.state import ServerState


def _server_state(connection: HTTPConnection) -> ServerState:
    return cast("ServerState", connection.app.state.server)


StateDep = Annotated[ServerState, Depends(_server_state)]
