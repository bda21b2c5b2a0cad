"""Commands in the project's folder: a shell without a terminal and without secrets, its output shortened."""

import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from mulligan.core.sandbox.environment import passed_environment
from mulligan.runtime.search_path import path_outside
from mulligan.types.commands import CommandResult
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement, ExtraAccess
from mulligan.workspace.process import HEAD_SHARE, OutputKeeper
from mulligan.workspace.sandbox import Sandbox

SHOWN_BYTES = 20_000
"""Bytes shown of each stream."""
KEPT_FACTOR = 10
"""How much more is kept than shown: colours and progress bars shrink."""
GRACE_SECONDS = 2.0
"""Seconds between being asked to end and being killed."""

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
"""Programs don't wait for the user, open an editor or use colours. `CI` is not set: it changes what tests and builds
do."""

ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
"""Colours, cursor moves, window titles."""
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Those above 7F too: for some terminals, 9B alone starts an escape."""


class ProjectCommands:
    """`Commands` of one project, in its sandbox."""

    def __init__(
        self,
        root: Path,
        sandbox: Sandbox,
        *,
        environ: Mapping[str, str] = os.environ,
        shown_bytes: int = SHOWN_BYTES,
    ) -> None:
        self._root = root
        self._sandbox = sandbox
        self._env = {**passed_environment(environ, sandbox.passed), **WITHOUT_TERMINAL}
        self._shown_bytes = shown_bytes

    async def run(self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS) -> CommandResult:
        shell = shutil.which("bash", path=path_outside(self._env.get("PATH", os.defpath), self._root)) or "/bin/sh"
        began = time.monotonic()
        ended = await self._sandbox.run(
            [shell, "-c", command],
            cwd=self._root,
            env=self._env,
            time_limit=time_limit,
            keep=self._shown_bytes * KEPT_FACTOR,
            grace=GRACE_SECONDS,
            access=access,
        )
        end = ended.end
        return CommandResult(
            command=command,
            exit_code=end.code,
            timed_out=end.timed_out,
            stdout=shown(end.stdout, self._shown_bytes),
            stderr=shown(end.stderr, self._shown_bytes),
            seconds=time.monotonic() - began,
            blocked=ended.blocked,
        )

    async def confinement(self) -> Confinement:
        return await self._sandbox.confinement()


def shown(output: OutputKeeper, most: int = SHOWN_BYTES) -> str:
    """The kept output as text; if it is long, its beginning and its end, cut at line ends if possible."""
    if not output.left_out:
        return shortened(plain(bytes(output.head) + output.tail), most)
    head, tail = plain(bytes(output.head)).encode(), plain(output.tail).encode()
    return _both_ends(head, tail, output.left_out + len(head) + len(tail), most)


def shortened(text: str, most: int = SHOWN_BYTES) -> str:
    """The text; if it is long, its beginning and its end."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else _both_ends(data, data, len(data), most)


def _both_ends(head: bytes, tail: bytes, between: int, most: int) -> str:
    limit = int(most * HEAD_SHARE)
    head, tail = _head(head, limit), _tail(tail, most - limit)
    missing = between - len(head) - len(tail)
    return f"{_text(head).rstrip()}\n[… {missing:,} bytes left out …]\n{_text(tail)}"


def plain(data: bytes) -> str:
    """Text without escapes; of a line that was overwritten, its last state."""
    text = ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return CONTROLS.sub("", "\n".join(lines))


def _head(data: bytes, limit: int) -> bytes:
    if len(data) <= limit:
        return data
    end = data.rfind(b"\n", 0, limit) + 1
    return data[: end or limit]


def _tail(data: bytes, limit: int) -> bytes:
    if len(data) <= limit:
        return data
    start = data.find(b"\n", len(data) - limit, len(data) - 1) + 1
    return data[start:] if start else data[-limit:]


def _text(data: bytes) -> str:
    """Drops characters that the cut split."""
    return data.decode("utf-8", "ignore")
