"""Tools as pydantic describes them, and a way to read one call of them."""

from collections.abc import Callable
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import RawCall, RejectedCall, ToolCall, ToolSpec

Read = Callable[..., ToolCall | RejectedCall]


class ViewFile(BaseModel):
    path: str
    start_line: Annotated[int, Field(ge=1)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 200
    numbered: bool = True


class ListDir(BaseModel):
    path: str = "."
    ignore_case: bool = False


class Replacement(BaseModel):
    old: str
    new: str
    count: int = 1


class EditFile(BaseModel):
    path: str
    edits: list[Replacement]


class Search(BaseModel):
    pattern: str
    globs: list[str] = []
    mode: Literal["plain", "Regex"] = "plain"
    ratio: float = 0.5
    level: Literal[1, 2] = 1
    labels: dict[str, int] = {}
    scope: str | list[str] = "."
    first: Replacement | None = None


class WriteFile(BaseModel):
    path: Annotated[str, Field(min_length=1)]
    content: str


class Now(BaseModel):
    pass


@pytest.fixture(scope="session")
def specs() -> list[ToolSpec]:
    tools: dict[str, type[BaseModel]] = {
        "view_file": ViewFile,
        "list_dir": ListDir,
        "edit_file": EditFile,
        "grep": Search,
        "write_file": WriteFile,
        "now": Now,
    }
    return [ToolSpec(name, "", tool.model_json_schema()) for name, tool in tools.items()]


@pytest.fixture(scope="session")
def read(specs: list[ToolSpec]) -> Read:
    """Read one call of a reply that the server says is whole."""

    def read_one(arguments: str, name: str = "view_file") -> ToolCall | RejectedCall:
        (result,) = read_calls([RawCall("call-1", name, arguments)], specs, finish_reason="tool_calls")
        return result

    return read_one
