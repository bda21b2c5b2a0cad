"""The command, in a pipe or in a terminal, against a scripted model server in a process of its own."""

import io
import os
import pty
import re
import subprocess
import tempfile
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pexpect
import pytest
from pexpect.fdpexpect import fdspawn
from rich.console import Console

from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.models.scripted.server import RunningServer
from tests.forked_command import Forked, run_forked, start_forked
from tests.patience import PATIENCE
from tests.scripted_server import running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "turn.py").write_text("def turn():\n    return 'one'\n", encoding="utf-8")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The shell's variables without its own Mulligan and its own terminal."""
    own = ("MULLIGAN_", "TERM", "NO_COLOR", "COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {
        **kept,
        "MULLIGAN_HOME": str(tmp_path / "home"),
        # Neither a server that happens to run here nor a download may get into a test.
        "MULLIGAN_DISCOVERY": "no",
        "MULLIGAN_DOWNLOADS": "no",
        "TERM": "xterm",
        "NO_COLOR": "1",
        # Nobody answers a question for the cursor's place here, and waiting for it takes two seconds.
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }


@pytest.fixture
def serve(environment: dict[str, str]) -> Iterator[Callable[..., RunningServer]]:
    """Start a server that gives these replies. The command finds it by the environment."""
    with ExitStack() as servers:

        def start(*replies: ScriptedReply) -> RunningServer:
            server = servers.enter_context(running(Script(replies=replies)))
            environment["MULLIGAN_BASE_URL"] = server.base_url
            return server

        yield start


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(project: Path, environment: dict[str, str]) -> Run:
    """Run the command to its end, without a terminal."""

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_forked(arguments, cwd=project, env=environment)

    return start


class Terminal:
    """The command in a terminal, with a user who waits for what they expect to see."""

    def __init__(self, screen: "fdspawn[str]", forked: Forked) -> None:
        self.screen = screen
        self.forked = forked

    @property
    def pid(self) -> int:
        return self.forked.pid.result(PATIENCE)

    def sees(self, text: str) -> None:
        self.screen.expect_exact(text)

    def at_prompt(self) -> None:
        """Bracketed paste is on, and the cursor stands behind the prompt."""
        for sign in ("\x1b[?2004h", ">", "\x1b[?25h"):
            self.sees(sign)

    def types(self, keys: str) -> None:
        self.screen.send(keys)

    def says(self, text: str) -> None:
        """Type at the prompt, then Enter."""
        self.at_prompt()
        self.types(text + "\r")

    def leaves(self) -> int | None:
        """Wait for the end; the exit code."""
        self.screen.expect(pexpect.EOF)
        return self.forked.code.result(PATIENCE)


@pytest.fixture
def in_terminal(project: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    with ExitStack() as terminals:

        def start(*arguments: str, columns: int = 80) -> Terminal:
            master, slave = pty.openpty()
            termios.tcsetwinsize(slave, (24, columns))
            streams = Path(tempfile.mkdtemp(dir=tmp_path))
            for name in ("stdin", "stdout", "stderr"):
                (streams / name).symlink_to(os.ttyname(slave))
            forked = start_forked(arguments, cwd=project, env=environment, files=streams)
            # The screen goes dark with the command: no earlier, though it may not have opened it yet.
            forked.code.add_done_callback(lambda _: os.close(slave))
            screen: fdspawn[str] = fdspawn(master, encoding="utf-8", timeout=PATIENCE)
            terminals.callback(screen.close)
            terminals.callback(forked.kill)
            return Terminal(screen, forked)

        yield start


CONTROL = re.compile(r"\x1b\[(\??\d*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


class PaperTerminal(io.StringIO):
    """What a terminal shows after the few movements that rich makes."""

    def shown(self) -> str:
        rows, row, column = [""], 0, 0
        for number, letter, back, newline, text in CONTROL.findall(self.getvalue()):
            if letter == "A":
                row = max(0, row - int(number))
            elif letter == "K":
                rows[row] = ""
            elif back:
                column = 0
            elif newline:
                row, column = row + 1, 0
                rows += [""] * (row + 1 - len(rows))
            elif text:
                line = rows[row].ljust(column)
                rows[row] = line[:column] + text + line[column + len(text) :]
                column += len(text)
        return "\n".join(line.rstrip() for line in rows).strip("\n")


@pytest.fixture
def paper() -> PaperTerminal:
    return PaperTerminal()


@pytest.fixture
def console(paper: PaperTerminal) -> Console:
    return Console(
        file=paper,
        width=60,
        height=20,
        force_terminal=True,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={"TERM": "xterm"},
    )
