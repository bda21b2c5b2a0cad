"""A project with a home around it, and commands in it under each way that works here."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mulligan.types.sandbox import NO_EXTRA_ACCESS, ExtraAccess, Limits, SandboxChoice
from mulligan.workspace.sandbox import Sandbox, SandboxedEnd, find_sandbox

WAYS = [
    pytest.param(way, marks=pytest.mark.skipif(find_sandbox(way).mechanism != way, reason=f"{way} does not work here"))
    for way in ("bubblewrap", "landlock")
]
PYTHON = sys.executable


@dataclass(frozen=True)
class Place:
    home: Path
    project: Path

    def sandbox(self, way: SandboxChoice, **more: Any) -> Sandbox:
        return Sandbox(way, self.project, home=self.home / ".mulligan", **more)

    async def run(
        self,
        way: SandboxChoice,
        line: str,
        *,
        access: ExtraAccess = NO_EXTRA_ACCESS,
        limits: Limits | None = None,
        time_limit: float = 30,
        shell: str = "/bin/bash",
        kept: tuple[Path, ...] = (),
    ) -> SandboxedEnd:
        sandbox = self.sandbox(way, limits=limits)
        sandbox.undone_by_checkpoint(kept)
        return await sandbox.run(
            [shell, "-c", line],
            cwd=self.project,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
            time_limit=time_limit,
            keep=100_000,
            grace=10,
            access=access,
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home", tmp_path / "home" / "project")
    made.project.mkdir(parents=True)
    (made.home / "notes.txt").write_text("secret")
    return made
