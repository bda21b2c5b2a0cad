"""The real tools over a real project folder."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mulligan.ports.tools import Tool
from mulligan.tools.registry import build_tools
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Succeeded
from mulligan.workspace.files.project_files import ProjectFiles

Write = Callable[..., Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def write(root: Path) -> Write:
    def write(path: str, content: str = "") -> Path:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
        return file

    return write


@pytest.fixture
def tools(root: Path) -> Mapping[str, Tool]:
    return build_tools(ProjectFiles(root))


@pytest.fixture
def call(tools: Mapping[str, Tool]) -> Callable[..., Awaitable[str]]:
    """Runs a tool that must succeed, and gives what the model reads."""

    async def call(name: str, **arguments: Any) -> str:
        outcome = await tools[name].run(arguments)
        assert isinstance(outcome, Succeeded)
        assert outcome.state is None
        return outcome.content

    return call


@pytest.fixture
def refused(tools: Mapping[str, Tool]) -> Callable[..., Awaitable[tuple[str, str]]]:
    """Runs a tool that must refuse, and gives the kind of failure and the words."""

    async def refused(name: str, **arguments: Any) -> tuple[str, str]:
        with pytest.raises(CallRejected) as rejected:
            await tools[name].run(arguments)
        return rejected.value.kind, str(rejected.value)

    return refused
