"""What is shipped: a wheel that works in an environment with nothing else in it."""

import json
import os
import re
import subprocess
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan import __version__
from mulligan.server.routes.page import BUILT
from tests.documents.installing import ROOT, build_wheel, install
from tests.patience import PATIENCE

SECONDS = 900
"""For the drill, which has a bound of its own in `bench`. Here it must only end."""


@dataclass(frozen=True)
class Installed:
    wheel: Path
    programs: Path
    folder: Path
    """To be in, away from the source."""

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the environment that the tests run in."""
        away = {"VIRTUAL_ENV", "PYTHONPATH"}
        kept = {name: value for name, value in os.environ.items() if name not in away and "MULLIGAN" not in name}
        paths = [str(self.programs), *(path for path in kept["PATH"].split(":") if ".venv" not in path)]
        return {**kept, "PATH": ":".join(paths), "HOME": str(self.folder), "MULLIGAN_DOWNLOADS": "no"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["mulligan", *arguments],
            check=False, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    if not (BUILT / "index.html").exists():
        pytest.fail("the page is not built, and the wheel is to hold it: run `make web` first", pytrace=False)
    place = tmp_path_factory.mktemp("shipped")
    (place / "elsewhere").mkdir()
    wheel = build_wheel(ROOT, place / "dist")
    return Installed(wheel, install(wheel, place / "environment"), place / "elsewhere")


def test_the_wheel_holds_the_built_page_though_git_ignores_it(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as opened:
        names = set(opened.namelist())
    page = {f"mulligan/server/page/{file.relative_to(BUILT)}" for file in BUILT.rglob("*") if file.is_file()}
    assert page <= names
    assert {"mulligan/server/app.py", "mulligan/models/embedded/catalog.toml"} <= names
    assert not [name for name in names if name.startswith(("tests/", "bench/", "reference/"))]


def test_it_tells_its_version(installed: Installed) -> None:
    assert installed.run("--version").stdout.strip().endswith(__version__)


@pytest.mark.timeout(SECONDS)
def test_the_whole_drill_holds(installed: Installed) -> None:
    drilled = installed.run("drill", "--json")
    broken = [line for line in drilled.stdout.splitlines() if json.loads(line).get("holds") is False]
    assert (drilled.returncode, broken) == (0, []), drilled.stderr


def test_it_serves_the_page(installed: Installed) -> None:
    serve = subprocess.Popen(
        ["mulligan", "serve", "--port", "0"],
        cwd=installed.folder, env=installed.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with serve:
        try:
            assert serve.stdout is not None
            address = re.search(r"http://\S+/", serve.stdout.readline())
            assert address
            page = fetched(address[0])
            (program,) = re.findall(r'<script type="module"[^>]* src="/([^"]+)"', page)
            assert "fetch" in fetched(address[0] + program), "the page's own program comes too"
        finally:
            serve.terminate()
        assert serve.wait(SECONDS) == 0


def fetched(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310  it is our own, on loopback
        assert answer.status == 200
        return answer.read().decode()
