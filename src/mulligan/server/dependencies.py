"""How a route comes by the desk."""

from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from mulligan.server.state import Desk


def _desk(connection: HTTPConnection) -> Desk:
    return cast("Desk", connection.app.state.desk)


AtDesk = Annotated[Desk, Depends(_desk)]
