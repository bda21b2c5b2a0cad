"""Somebody who has just cloned the project and types what the pages say.

They have a home folder, a shell, git with a name, and this tree installed into an empty environment. Their model is the
scripted one, which is all that is not as it would be at home. It is named by settings in the environment:
`MULLIGAN_BASE_URL`, `MULLIGAN_MODEL`.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import RunningServer
from tests.documents.blocks import Block, Command

SCRIPTS = Path(__file__).parent / "scripts"
SECONDS = 120
"""For one command. Only one that fails takes so long."""
SOME_CHECKPOINT = "ab12"
"""Stands in the pages for the id of a checkpoint. It is the newest when a page first names it,
and stays the same."""


@dataclass
class Newcomer:
    home: Path
    clone: Path
    programs: Path
    """Where `mulligan` and its Python are."""
    model: RunningServer
    shell: "Shell" = field(init=False)
    _checkpoint: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.open_shell(self.clone)

    def open_shell(self, folder: Path) -> None:
        """A new one, so that nothing of another page is left."""
        self._checkpoint = ""
        self.shell = Shell(folder, self._environment(), self.home / ".shell")

    def open_project(self, name: str) -> Path:
        """A shell in a repository of their own: a little project with a bug."""
        folder = self.home / name
        shutil.copytree(self.clone / "examples" / "library", folder)
        self.open_shell(folder)
        for command in ("git init -q", "git add -A", "git commit -qm 'A library with a bug'"):
            self.shell.run(command)
        return folder

    def follow(self, block: Block) -> None:
        """Type all commands of a block. Raises `AssertionError` if one ends in another way than the page says."""
        if block.model:
            script = (SCRIPTS / f"{block.model}.json").read_text(encoding="utf-8")
            self.model.replace_script(Script.model_validate_json(script))
        for command in block.commands:
            self.shell.type(self._with_real_id(command))

    def _with_real_id(self, command: Command) -> Command:
        if SOME_CHECKPOINT not in command.text:
            return command
        if not self._checkpoint:
            newest = self.shell.run("mulligan checkpoints list --json").splitlines()[0]
            self._checkpoint = json.loads(newest)["id"]
        return replace(command, text=command.text.replace(SOME_CHECKPOINT, self._checkpoint))

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "GIT_AUTHOR_NAME": "newcomer",
            "GIT_AUTHOR_EMAIL": "newcomer@localhost",
            "GIT_COMMITTER_NAME": "newcomer",
            "GIT_COMMITTER_EMAIL": "newcomer@localhost",
            "MULLIGAN_BASE_URL": self.model.base_url,
            "MULLIGAN_MODEL": "scripted",
            "MULLIGAN_DOWNLOADS": "no",
        }


@dataclass
class Shell:
    """Remembers its folder and its variables from command to command."""

    folder: Path
    environment: dict[str, str]
    memory: Path
    """A file to which it writes them."""

    def run(self, command: str) -> str:
        """What it prints. Raises `AssertionError` if it fails."""
        return self.type(Command(command, 0))

    def type(self, command: Command) -> str:
        """What it prints. Nobody is at the terminal, so nothing is asked."""
        with subprocess.Popen(
            ["bash", "-c", f"trap 'env -0 > {shlex.quote(str(self.memory))}' EXIT\n{command.text}\n"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as shell:
            try:
                printed, said = shell.communicate(timeout=SECONDS)
            finally:
                with suppress(ProcessLookupError):  # all of it has ended, as it should
                    os.killpg(shell.pid, signal.SIGKILL)
        assert shell.returncode == command.exit_code, (
            f"{command.text}\nexit code {shell.returncode}, and the page says {command.exit_code}\n{printed}{said}"
        )
        kept = self.memory.read_text(encoding="utf-8").split("\0")[:-1]
        self.environment = dict(variable.split("=", 1) for variable in kept)
        self.folder = Path(self.environment["PWD"])
        return printed
