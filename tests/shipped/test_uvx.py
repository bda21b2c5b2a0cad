"""`uvx --from WHEEL mulligan`: an environment that uv makes for one command, without Node and without a compiler."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan import __version__
from mulligan.models.scripted.script import Script, ScriptedReply
from tests.documents.installing import ROOT, UV
from tests.patience import PATIENCE
from tests.scripted_server import running
from tests.shipped.installed import Installed

NEEDED = ("bash", "dirname", "env", "git", "realpath", "sh", "uname")
"""All that is on the PATH."""


@pytest.fixture
def few_programs(tmp_path: Path) -> str:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in NEEDED:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    return str(folder)


def test_it_answers_a_question_from_the_wheel_alone(installed: Installed, few_programs: str, tmp_path: Path) -> None:
    cache = subprocess.run([UV, "cache", "dir"], check=True, capture_output=True, text=True).stdout.strip()
    environment = {**installed.environment, "PATH": few_programs, "UV_CACHE_DIR": cache, "HOME": str(tmp_path)}

    def uvx(*words: str) -> subprocess.CompletedProcess[str]:
        """Nothing may be built. What `make setup` fetched is enough, unless the cache was emptied."""
        options = ["--no-build", "--constraints", str(ROOT / "requirements" / "dev.txt"), "--python", sys.executable]
        for offline in (["--offline"], []):
            done = subprocess.run(
                [UV, "tool", "run", *offline, *options, "--from", installed.wheel, "mulligan", *words],
                check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE,
            )  # fmt: skip
            if done.returncode == 0:
                break
        return done

    assert uvx("--version").stdout == f"mulligan {__version__}\n"
    with running(Script(replies=(ScriptedReply(text="It is in turn.py."),))) as model:
        environment |= {"MULLIGAN_BASE_URL": model.base_url, "MULLIGAN_MODEL": "scripted"}
        asked = uvx("ask", "Where is it?")
    assert (asked.returncode, asked.stdout.strip()) == (0, "It is in turn.py."), asked.stderr
