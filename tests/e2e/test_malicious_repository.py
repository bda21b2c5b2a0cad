"""A repository whose own tests attack whoever runs them, taken through `mulligan fix` from beginning to end."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import Command
from tests.e2e.fix_project import FIXED, PLAN, RIGHT, TESTS, Repository, make_repository, say

ATTACKS = """
import ctypes, glob, json, os, shutil, signal, socket, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOLD = json.loads(os.environ.get("ATTACK") or open(os.path.join(HERE, "attack.json")).read())
USER, CHECKOUT, HOME, PORT, PID = (TOLD[name] for name in ("user", "checkout", "home", "port", "pid"))
SEEN = {}


def attack(function):
    try:
        SEEN[function.__name__] = str(function())[:200]
    except BaseException as error:
        SEEN[function.__name__] = "held: %s" % type(error).__name__
    return function


def plant(path, text="planted"):
    with open(path, "w") as file:
        file.write(text)
    return "PLANTED " + path


def read(path):
    with open(path) as file:
        return "READ " + file.read()


@attack
def private_key(): return read(USER + "/.ssh/id_rsa")
@attack
def cloud_key(): return read(USER + "/.aws/credentials")
@attack
def shell_start(): return plant(USER + "/.bashrc")
@attack
def new_file_at_home(): return plant(USER + "/planted")
@attack
def checkout_code(): return plant(CHECKOUT + "/totals.py")
@attack
def checkout_hook(): return plant(CHECKOUT + "/.git/hooks/pre-commit", "#!/bin/sh\\ntouch hooked\\n")
@attack
def checkout_config(): return plant(CHECKOUT + "/.git/config", "[core]\\n\\tfsmonitor = touch monitored\\n")
@attack
def checkout_branch(): return plant(CHECKOUT + "/.git/refs/heads/evil", "0" * 40)
@attack
def history(): shutil.rmtree(CHECKOUT + "/.git/objects"); return "PLANTED no objects"
@attack
def project_secret(): return read(CHECKOUT + "/.env")
@attack
def mulligan_database(): return read(HOME + "/mulligan.db")
@attack
def mulligan_settings(): return plant(HOME + "/mulligan.toml", "allow_commands = ['rm']\\n")
@attack
def mulligan_openings(): return plant(HOME + "/openings.json", "{}")
@attack
def temporary_file(): return plant(USER + "/../shared-temporary")
@attack
def system_file(): return plant("/etc/planted-by-a-test")
@attack
def loopback_service():
    with socket.create_connection(("127.0.0.1", PORT), 2) as link:
        link.sendall(b"secret")
    return "REACHED"
@attack
def outside_address(): socket.create_connection(("192.0.2.1", 80), 2).close(); return "REACHED"
@attack
def other_process(): os.kill(PID, signal.SIGKILL); return "KILLED"
@attack
def other_environment(): return read("/proc/%d/environ" % PID)
@attack
def every_environment():
    found = []
    for place in glob.glob("/proc/[0-9]*/environ"):
        try:
            found.append(open(place, "rb").read())
        except OSError:
            pass
    return "READ THE-KEY" if any(b"THE-KEY" in each for each in found) else "held: not there"
@attack
def own_environment(): return "READ THE-KEY" if "THE-KEY" in str(os.environ) else "held: not there"
@attack
def through_a_link():
    os.symlink(USER, HERE + "/out")
    try:
        return plant(HERE + "/out/.profile")
    finally:
        os.unlink(HERE + "/out")
@attack
def hard_link(): os.link(CHECKOUT + "/totals.py", HERE + "/same"); return plant(HERE + "/same")
@attack
def daemon():
    subprocess.Popen(["sh", "-c", "sleep 3; echo planted > %s/late" % USER], start_new_session=True)
    return "held: to be seen later"
@attack
def work_tree_link(): return plant(HERE + "/.git", "gitdir: " + HERE + "/evil")
@attack
def mount(): return "MOUNTED" if ctypes.CDLL(None).mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0 else "held: refused"
@attack
def new_namespace():
    return "MOUNTED" if ctypes.CDLL(None).unshare(0x10000000) == 0 else "held: refused"

print("ATTACKED " + json.dumps(SEEN), file=sys.stderr)
"""

BAD = ("READ ", "REACHED", "KILLED", "MOUNTED")
"""What was planted is looked for where it would do harm: a test may write into its own empty home as it likes."""


class User:
    """Whose machine it is: a home with secrets, a service, a process."""

    def __init__(self, folder: Path, project: Path, home: Path) -> None:
        self.home = folder
        (folder / ".ssh").mkdir(parents=True)
        (folder / ".aws").mkdir()
        self.files = {
            folder / ".ssh" / "id_rsa": "a private key",
            folder / ".aws" / "credentials": "a cloud's key",
            folder / ".bashrc": "# mine",
            project / ".env": "TOKEN=mine",
        }
        for file, text in self.files.items():
            file.write_text(text)
        self.service = socket.create_server(("127.0.0.1", 0))
        self.process = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], "SECRET": "THE-KEY"})
        self.told = {
            "user": str(folder),
            "checkout": str(project),
            "home": str(home),
            "port": self.service.getsockname()[1],
            "pid": self.process.pid,
        }

    def close(self) -> None:
        self.service.close()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def was_reached(self) -> bool:
        self.service.setblocking(False)
        try:
            self.service.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def repository(mulligan: Command) -> Repository:
    return make_repository(mulligan)


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
def test_its_tests_attack_and_nothing_outside_is_touched(repository: Repository, tmp_path: Path, way: str) -> None:
    user = User(tmp_path / "user", repository.folder, repository.mulligan.home)
    try:
        (repository.folder / ".gitignore").write_text(".env\n")
        (repository.folder / "attack.json").write_text(json.dumps(user.told))
        (repository.folder / "test_totals.py").write_text(ATTACKS + TESTS)
        repository.git("add", "-A")
        repository.git("commit", "-qm", "look at my tests")
        before = _everything(repository.folder / ".git" / "hooks"), (repository.folder / ".git" / "config").read_bytes()
        environ = {"MULLIGAN_SANDBOX": way, "HOME": str(user.home), "MULLIGAN_API_KEY": "THE-KEY"}

        done = repository.fix_with([PLAN, RIGHT, say("It is fixed.")], environ)

        assert done.end["verdict"] == "verified", done.stderr
        reports = [line for frame in (*done.frames, done.stderr) for line in _attacked(str(frame))]
        logged = "".join(file.read_text() for file in (repository.folder / ".mulligan").rglob("*") if file.is_file())
        seen = dict(pair for line in (*reports, *_attacked(logged)) for pair in line.items())
        assert len(seen) >= 25
        assert {name: told for name, told in seen.items() if told.startswith(BAD)} == {}
        assert {file: file.read_text() for file in user.files} == user.files
        assert sorted(each.name for each in user.home.iterdir()) == [".aws", ".bashrc", ".ssh"]
        assert not user.was_reached()
        assert user.process.poll() is None
        assert not Path("/etc/planted-by-a-test").exists()
        assert not (tmp_path / "shared-temporary").exists()
        assert (
            _everything(repository.folder / ".git" / "hooks"),
            (repository.folder / ".git" / "config").read_bytes(),
        ) == before
        assert not (repository.mulligan.home / "mulligan.toml").exists()
        assert repository.git("fsck", "--strict", "--no-dangling") == ""
        repository.mulligan("changes", "apply")
        assert repository.code == FIXED
    finally:
        user.close()


def _attacked(text: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for piece in text.replace('\\"', '"').split("ATTACKED ")[1:]:
        try:
            found.append(json.JSONDecoder().raw_decode(piece)[0])
        except ValueError:
            continue
    return found


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
