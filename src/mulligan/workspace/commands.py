"""Commands in the project's folder: a shell without a terminal and without secrets, its output cut to what matters."""

import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from mulligan.types.commands import CommandResult
from mulligan.workspace.process import HEAD_SHARE, OutputKeeper, run_kept

SHOWN_BYTES = 20_000
"""Of each stream."""
KEPT_FACTOR = 10
"""So much more is kept than shown: colours and progress bars shrink."""
GRACE_SECONDS = 2.0
"""Between being asked to end and being ended."""

SECRET_NAME = re.compile(
    r"""(?:^|_)(?:API_?)?(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|CREDS?|AUTH
        |COOKIES?|PAT|DSN|PRIVATE)(?:_|$)
        |(?:APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$
        |^(?:MULLIGAN|AWS|AZURE|GCP|GOOGLE|OPENAI|ANTHROPIC|VAULT|MYSQL)_
        |DATABASE_URL|REDIS_URL|MONGO\w*_UR[IL]|BROKER_URL|WEBHOOK|CONNECTION_STRING|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO
        |ASKPASS|KUBECONFIG|DOCKER_CONFIG""",
    re.VERBOSE | re.IGNORECASE,
)
"""Names of variables that hold secrets, or lead to them."""

SECRET_VALUE = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:sk|ghp|gho|glpat|xox[abp])[-_]\w{16}"
)

WITHOUT_TERMINAL = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "EDITOR": "false",
    "VISUAL": "false",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "PYTHONUNBUFFERED": "1",
}
"""Nothing waits for a person, opens an editor or draws. `CI` is not set: it changes what tests and builds do."""

ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
"""Colours, cursor moves, window titles."""
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class ProjectCommands:
    """The `Commands` of one project."""

    def __init__(self, root: Path, *, environ: Mapping[str, str] = os.environ, shown_bytes: int = SHOWN_BYTES) -> None:
        self._root = root
        self._env = harmless(environ)
        self._shown_bytes = shown_bytes

    async def run(self, command: str, *, time_limit: float) -> CommandResult:
        shell = shutil.which("bash", path=self._env.get("PATH")) or "/bin/sh"
        began = time.monotonic()
        end = await run_kept(
            [shell, "-c", command],
            cwd=self._root,
            env=self._env,
            time_limit=time_limit,
            keep=self._shown_bytes * KEPT_FACTOR,
            grace=GRACE_SECONDS,
        )
        return CommandResult(
            command=command,
            exit_code=end.code,
            timed_out=end.timed_out,
            stdout=shown(end.stdout, self._shown_bytes),
            stderr=shown(end.stderr, self._shown_bytes),
            seconds=time.monotonic() - began,
        )


def harmless(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without secrets, made for a program that has no terminal."""
    kept = {
        name: value
        for name, value in environ.items()
        if not SECRET_NAME.search(name) and not SECRET_VALUE.search(value)
    }
    return {**kept, **WITHOUT_TERMINAL}


def shown(output: OutputKeeper, most: int = SHOWN_BYTES) -> str:
    """What was kept, as text; where it is long, its beginning and its end, cut at line ends where there are any."""
    if not output.left_out:
        return shortened(plain(bytes(output.head) + output.tail), most)
    head, tail = plain(bytes(output.head)).encode(), plain(output.tail).encode()
    return _both_ends(head, tail, output.left_out + len(head) + len(tail), most)


def shortened(text: str, most: int = SHOWN_BYTES) -> str:
    """The text, or where it is long its beginning and its end."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else _both_ends(data, data, len(data), most)


def _both_ends(head: bytes, tail: bytes, between: int, most: int) -> str:
    room = int(most * HEAD_SHARE)
    head, tail = _head(head, room), _tail(tail, most - room)
    missing = between - len(head) - len(tail)
    return f"{_text(head).rstrip()}\n[… {missing:,} bytes left out …]\n{_text(tail)}"


def plain(data: bytes) -> str:
    """Text without escapes; of a line that was written over and over, its last state."""
    text = ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return CONTROLS.sub("", "\n".join(lines))


def _head(data: bytes, room: int) -> bytes:
    if len(data) <= room:
        return data
    end = data.rfind(b"\n", 0, room) + 1
    return data[: end or room]


def _tail(data: bytes, room: int) -> bytes:
    if len(data) <= room:
        return data
    start = data.find(b"\n", len(data) - room, len(data) - 1) + 1
    return data[start:] if start else data[-room:]


def _text(data: bytes) -> str:
    """A character that the cut went through is left out."""
    return data.decode("utf-8", "ignore")
