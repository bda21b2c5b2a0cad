"""The command, run as a user or a script would."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.forked_command import COMMANDS, run_forked
from tests.patience import PATIENCE

MULLIGAN = Path(sys.executable).with_name("mulligan")


@dataclass(frozen=True)
class Finished:
    code: int
    stdout: str
    stderr: str

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def end(self) -> dict[str, Any]:
        """The last frame of the turn."""
        return self.frames[-1]


@dataclass(frozen=True)
class Command:
    """`mulligan` with a home and a project of its own."""

    home: Path
    project: Path
    loaded: tuple[str, ...] = COMMANDS
    """What it need not load."""

    def __call__(
        self, *arguments: str, stdin: str = "", env: dict[str, str] | None = None, patience: float = PATIENCE
    ) -> Finished:
        environ = self.environ(env or {})
        done = run_forked(arguments, cwd=self.project, env=environ, stdin=stdin, loaded=self.loaded, patience=patience)
        return Finished(done.returncode, done.stdout, done.stderr)

    def ask(self, base_url: str, *more: str, prompt: Iterable[str] = ("where is it?",)) -> Finished:
        return self("ask", "--json", "--base-url", base_url, "--model", "m", *more, *prompt)

    def start(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [MULLIGAN, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env=self.environ(env or {}),
            cwd=self.project,
        )

    def environ(self, more: dict[str, str]) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN_")}
        alone = {"MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
        return {**clean, **alone, "MULLIGAN_HOME": str(self.home), **more}


@pytest.fixture
def mulligan(tmp_path: Path) -> Command:
    project = tmp_path / "project"
    project.mkdir()
    for name in "abc":
        (project / f"{name}.py").write_text(f"def {name}():\n    return '{name}'\n")
    return Command(tmp_path / "home", project)
