"""A turn that a user aborts while a checker looks at its edit."""

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from mulligan.app.configuration import load_configuration
from mulligan.app.open_session import open_session
from mulligan.models.scripted.model import Script
from mulligan.types.frames import Frame, TurnEnd
from tests.patience import PATIENCE
from tests.scripted_server import running

EDIT = {"name": "edit_file", "arguments": {"path": "a.py", "old": "a = 1", "new": "a = 2"}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Its own `ruff` never comes to an end once it is asked about a.py."""
    folder, notes = tmp_path / "project", tmp_path / "notes"
    (folder / ".venv" / "bin").mkdir(parents=True)
    notes.mkdir()
    (folder / ".venv" / "pyvenv.cfg").write_text("")
    program = folder / ".venv" / "bin" / "ruff"
    program.write_text(f'#!/bin/sh\ncase "$*" in *a.py) touch {notes}/running; exec sleep 87654.321;; esac\n')
    program.chmod(0o755)
    for name, text in (("a.py", "a = 1\n"), ("ruff.toml", ""), (".gitignore", ".venv/\n")):
        (folder / name).write_text(text)
    named = ["git", "-c", "user.name=A", "-c", "user.email=a@localhost"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it was"]):
        subprocess.run([*named, *words], cwd=folder, check=True, capture_output=True)
    return folder


def is_running(words: str) -> bool:
    found = ""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += process.read_text()
    return words in found


async def test_an_abort_ends_the_checker_and_keeps_the_edit(project: Path, tmp_path: Path) -> None:
    notes, frames = tmp_path / "notes", list[Frame]()
    environ = {
        "MULLIGAN_HOME": str(tmp_path / "home"),
        "MULLIGAN_DISCOVERY": "no",
        "MULLIGAN_SANDBOX_WRITE": str(notes),
        "MULLIGAN_DIAGNOSTICS_TIMEOUT": str(PATIENCE),
    }
    with running(Script.model_validate({"replies": [{"tool_calls": [EDIT]}]})) as server:
        flags = {"model": "m", "base_url": server.base_url}
        async with open_session(load_configuration(project, flags, environ)) as session:
            coder = session.agent("coder")
            chat = await session.new_chat("change it", coder)
            turn = asyncio.create_task(session.answer(chat, "change it", coder, frames.append))
            async with asyncio.timeout(PATIENCE):
                while not (notes / "running").exists():  # noqa: ASYNC110 - another process makes it
                    await asyncio.sleep(0.02)
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn

            # The kernel ends what was in the sandbox after the sandbox itself.
            async with asyncio.timeout(PATIENCE):
                while is_running("sleep\x0087654.321"):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.02)
            assert isinstance(frames[-1], TurnEnd)
            assert (frames[-1].stop_reason, frames[-1].pending) == ("aborted", 1)
