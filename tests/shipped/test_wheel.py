"""What is shipped: a wheel that works in an environment with nothing else in it."""

import json
import re
import subprocess
import urllib.request
import zipfile

import pytest

from mulligan import __version__
from mulligan.server.routes.page import BUILT
from tests.patience import PATIENCE
from tests.shipped.installed import SECONDS, Installed


def test_the_wheel_holds_the_built_page_though_git_ignores_it(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as opened:
        names = set(opened.namelist())
    page = {f"mulligan/server/page/{file.relative_to(BUILT)}" for file in BUILT.rglob("*") if file.is_file()}
    assert page <= names
    assert {"mulligan/server/app.py", "mulligan/models/embedded/catalog.toml", "mulligan/cli/text/help.txt"} <= names
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
