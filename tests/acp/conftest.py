import subprocess
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from acp.schema import ClientCapabilities

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import RunningServer
from tests.acp.editor import FILES, Editor, Talk, talking
from tests.scripted_server import running

GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]


@dataclass(frozen=True)
class Harness:
    """A user's project, in a repository, with a model that follows a script."""

    folder: Path
    home: Path
    root: Path

    @property
    def file(self) -> Path:
        return self.folder / "a.py"

    @asynccontextmanager
    async def talk(
        self,
        *replies: dict[str, Any],
        words: tuple[str, ...] = (),
        mode: str = "ask",
        offers: ClientCapabilities = FILES,
        editor: Editor | None = None,
        servers: Sequence[Any] = (),
        style: dict[str, Any] | None = None,
    ) -> AsyncGenerator[tuple[Talk, RunningServer]]:
        """An editor with a session open."""
        with running(Script.model_validate({"replies": replies, "server_style": style or {}})) as server:
            options = ("--base-url", server.base_url, "--model", "m", *words)
            at = {"project": self.folder, "home": self.home, "files": self._streams()}
            async with talking(*options, **at, offers=offers, editor=editor) as talk:
                await talk.open(mode, servers)
                yield talk, server

    def _streams(self) -> Path:
        return self.root / f"streams-{len(list(self.root.iterdir()))}"


Talking = Callable[..., AbstractAsyncContextManager[tuple[Talk, RunningServer]]]


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("def a():\n    return 1\n")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)
    return Harness(folder, tmp_path / "home", tmp_path)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


EDIT = call("edit_file", path="a.py", old="    return 1", new="    return 2")
