"""This tree as others get it: a clone of it, a wheel made of it, an environment with nothing else in it."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
UV = Path(sys.executable).with_name("uv")


def clone_tree(folder: Path) -> Path:
    """As `git clone` makes it, with what is not committed yet."""
    subprocess.run(["git", "clone", "-q", "--local", ROOT, folder], check=True)
    for path in _listed("--modified", "--others", "--exclude-standard"):
        here, there = ROOT / path, folder / path
        if here.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, there)
    for path in _listed("--deleted"):
        (folder / path).unlink(missing_ok=True)
    return folder


def build_wheel(source: Path, folder: Path) -> Path:
    """By the pinned tools that are here: nothing is fetched for it."""
    building = [UV, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*building, "--out-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, environment: Path, extra: str = "") -> Path:
    """Into an empty environment, with the versions we pin; the folder of its programs.

    Files are linked from uv's cache, where `make setup` has put them. Only what is missing there is fetched.
    """
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, environment], check=True)
    wanted = ["--constraint", ROOT / "requirements" / "dev.txt", f"mulligan{extra} @ {wheel.as_uri()}"]
    installing = [UV, "pip", "install", "--quiet", "--python", environment, *wanted]
    if subprocess.run([*installing, "--offline"], check=False, capture_output=True).returncode:
        subprocess.run(installing, check=True)
    return environment / "bin"


def made_once(places: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that one worker makes, for all of them."""
    base = places.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else places.getbasetemp()
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def _listed(*which: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z", *which], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.split("\0")[:-1]
