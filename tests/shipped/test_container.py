"""The parts of the container, tried without Docker: what it copies, and its own commands where it would run them.

bubblewrap stands in for the container: the image's user, its folders and its variables, the installed wheel, a root
that can't be written to, and a network of its own.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mulligan.cli.commands.serve import PORT
from tests.documents.installing import ROOT
from tests.patience import PATIENCE
from tests.shipped.dockerfile import is_sent, read_dockerfile
from tests.shipped.installed import Installed

DOCKERFILE = read_dockerfile(ROOT / "Dockerfile")
IGNORED = ROOT / ".dockerignore"
PROGRAM = Path(__file__).with_name("served_in_container.py")
USER = 10001


def test_what_is_copied_is_there_and_goes_to_the_builder() -> None:
    assert [path for path in DOCKERFILE.copied() if not (ROOT / path).exists()] == []
    assert [path for path in DOCKERFILE.copied() if not is_sent(path, IGNORED)] == []


def test_the_builder_gets_all_that_the_wheel_is_made_of() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "src", "web", "pyproject.toml", "README.md", "LICENSE"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert [path for path in tracked if not is_sent(path, IGNORED)] == []


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".env", ".venv/bin/python", ".mulligan/issues.md", "tests/conftest.py", "web/node_modules/x.js",
        "src/mulligan/server/page/index.html", "src/mulligan/__pycache__/cli.pyc", "requirements/agents/package.json",
    ],
)  # fmt: skip
def test_history_secrets_and_what_was_built_here_stay_here(path: str) -> None:
    assert not is_sent(path, IGNORED)


def test_the_page_is_taken_from_where_it_is_built() -> None:
    built = re.search(r'outDir: "(.+?)"', (ROOT / "web" / "vite.config.ts").read_text())
    assert built
    written = os.path.normpath(f"/source/web/{built[1]}")
    assert f"--from=page {written} " in next(
        each.words for each in DOCKERFILE.instructions if each.words.startswith("--from=page")
    )


def test_it_is_no_root_keeps_its_data_in_the_volume_and_is_checked_at_its_own_port() -> None:
    assert f"useradd --uid {USER} " in DOCKERFILE.last("RUN")
    assert DOCKERFILE.last("USER") == "mulligan"
    assert f"MULLIGAN_HOME={DOCKERFILE.last('VOLUME')}" in DOCKERFILE.last("ENV")
    assert DOCKERFILE.last("EXPOSE") == str(PORT)
    assert f"http://127.0.0.1:{PORT}/" in DOCKERFILE.command("HEALTHCHECK")[-1]


def test_its_commands_run_as_that_user_and_the_health_check_tells_a_server_from_none(
    installed: Installed, tmp_path: Path
) -> None:
    inside = in_container(tmp_path, installed)
    server = [*DOCKERFILE.command("ENTRYPOINT"), *DOCKERFILE.command("CMD")]
    words = [json.dumps(server), json.dumps(DOCKERFILE.command("HEALTHCHECK"))]
    done = subprocess.run(
        [*inside, "python", PROGRAM, *words], check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["uid"] == USER
    assert "Log in with this token" in found["said"]
    assert (found["while_served"], found["ended"]) == (0, 0), done.stderr
    assert found["after"] != 0
    assert {"mulligan.db", "server-token"} <= {file.name for file in (tmp_path / "data").iterdir()}


def in_container(folder: Path, installed: Installed) -> list[str]:
    """The beginning of a command that runs in the image's folders, as its user."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        pytest.fail("bubblewrap stands in for the container: `make bubblewrap` installs it", pytrace=False)
    own = ("data", "project")
    for name in own:
        (folder / name).mkdir()
    mounts = ["--tmpfs", "/"]
    for each in sorted(Path("/").iterdir()):
        if each.is_symlink():
            mounts += ["--symlink", str(each.readlink()), str(each)]
        elif each.name not in ("proc", "dev", "tmp", "sys", "run", *own):
            mounts += ["--ro-bind-try", str(each), str(each)]
    environment = installed.programs.parent
    mounts += ["--tmpfs", "/tmp"]  # noqa: S108  its own
    mounts += ["--ro-bind", str(environment), str(environment), "--ro-bind", str(ROOT), str(ROOT)]
    for name in own:
        mounts += ["--bind", str(folder / name), f"/{name}"]
    variables = dict(each.split("=", 1) for each in DOCKERFILE.last("ENV").split())
    path = f"{installed.programs}:{os.environ['PATH']}"
    keep = ["--setenv", "LANG", "C.UTF-8", "--setenv", "PATH", path]
    for name in ("HOME", "MULLIGAN_HOME"):
        keep += ["--setenv", name, variables[name]]
    return [
        bwrap, *mounts, "--proc", "/proc", "--dev", "/dev", "--unshare-all", "--die-with-parent", "--clearenv", *keep,
        "--uid", str(USER), "--gid", str(USER), "--chdir", DOCKERFILE.last("WORKDIR"), "--",
    ]  # fmt: skip
