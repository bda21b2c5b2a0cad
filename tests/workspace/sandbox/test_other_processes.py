"""A process of its own runs the command: one that is killed, and one of a user without any rights."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan.types.sandbox import SandboxChoice
from tests.workspace.sandbox.conftest import WAYS, Place

PROCESS = Path(__file__).with_name("confined_process.py")
SOON = "30"
"""Seconds: only a test that fails takes so long."""
NOBODY = 65534

pytestmark = pytest.mark.parametrize("way", WAYS)


def test_a_command_does_not_outlive_a_mulligan_that_is_killed(place: Place, way: SandboxChoice) -> None:
    line = "exec 9>held; flock 9; setsid sleep 100 & echo yes > started; sleep 100"
    os.mkfifo(place.project / "started")
    with subprocess.Popen([sys.executable, PROCESS, way, place.project, place.home, line]) as running:
        assert (place.project / "started").read_text() == "yes\n"
        running.kill()
    subprocess.run(["flock", "-w", SOON, place.project / "held", "true"], check=True)


@pytest.fixture
def open_place() -> Iterator[Place]:
    """Where another user can write too."""
    with tempfile.TemporaryDirectory() as folder:
        made = Place(Path(folder, "home"), Path(folder, "home", "project"))
        made.project.mkdir(parents=True)
        (made.home / "notes.txt").write_text("secret")
        for each in (Path(folder), made.home, made.project):
            os.chown(each, NOBODY, NOBODY)
        yield made


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not shutil.which("setpriv"), reason="there is no setpriv")
def test_a_user_without_rights_is_confined_too(open_place: Place, way: SandboxChoice) -> None:
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(open_place.home)}
    if subprocess.run([*become, sys.executable, "-c", "import mulligan"], env=env, check=False).returncode:
        pytest.skip("another user can't read the interpreter")
    line = f"echo made > made.txt; cat made.txt; cat {open_place.home}/notes.txt; echo x > {open_place.home}/planted"
    ran = subprocess.run(
        [*become, sys.executable, PROCESS, way, open_place.project, open_place.home, line],
        env=env, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout.startswith(f"{way} "), ran.stdout
    assert "made" in ran.stdout
    assert "secret" not in ran.stdout
    assert not (open_place.home / "planted").exists()
