"""pip as a child process: it uses the user's own index settings, and leaves nothing behind."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from mulligan.models.embedded.download_progress import MirrorFailed

FIRST_BYTES = 20.0
"""Seconds until something must have arrived: pip needs some to start and to query its index."""
IDLE_TIMEOUT = 60.0
POLL_SECONDS = 0.1
MAX_WORDS = 300


async def run_pip(arguments: Sequence[str], *, folder: Path, grown: Callable[[int], None], what: str) -> None:
    """Run pip in an empty folder, reporting how many bytes it has downloaded. Raises `MirrorFailed`."""
    child = await asyncio.create_subprocess_exec(
        *pip_command(),
        *("--no-input", "--disable-pip-version-check", "--quiet"),
        *arguments,
        # `-m pip` would import a pip.py in the current folder, so that must not be the project's folder.
        cwd=folder,
        # Its temporary folder: we count the bytes here, and have checked that the disk is large enough.
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    ended = asyncio.ensure_future(child.communicate())
    try:
        await _watch(ended, folder, grown, what)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        _, written = await ended
    if child.returncode:
        raise _failure(written.decode("utf-8", "replace"), what)


def pip_command() -> list[str]:
    """The start of a pip command line. Raises `MirrorFailed` if there is no pip.

    An environment made by uv has none. Then the pip that Python bundles for new environments runs from its wheel,
    without being installed.
    """
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if bundled := find_spec("ensurepip"):
        for wheel in (Path(bundled.origin or "").parent / "_bundled").glob("pip-*.whl"):
            return [sys.executable, str(wheel / "pip")]
    raise MirrorFailed(f"needs pip, which this Python lacks: {sys.executable} -m ensurepip, or uv pip install pip")


async def _watch(
    ended: "asyncio.Future[tuple[bytes, bytes]]", folder: Path, grown: Callable[[int], None], what: str
) -> None:
    """Wait for the end, but not for a stalled download."""
    clock = asyncio.get_running_loop().time
    most, since = 0, clock()
    while not ended.done():
        await asyncio.wait({ended}, timeout=POLL_SECONDS)
        received = _bytes_in(folder)
        if received > most:
            most, since = received, clock()
            grown(most)
        timeout = IDLE_TIMEOUT if most else FIRST_BYTES
        if clock() - since > timeout:
            raise MirrorFailed(f"sent nothing of {what} for {timeout:g} s")


def _bytes_in(folder: Path) -> int:
    """Files and folders may vanish while they are counted, since pip moves them. `os.walk` copes with that."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(root, name).stat().st_size
    return total


def _failure(written: str, what: str) -> Exception:
    if os.strerror(errno.ENOSPC) in written:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = [line for line in written.splitlines() if line.startswith("ERROR: ")]
    line = "".join(char if char.isprintable() else " " for char in (errors or ["pip gave no reason"])[-1])
    unreachable = " Its index could not be reached." if "NewConnectionError" in written or "Retrying" in written else ""
    return MirrorFailed(f"did not give {what}: {line.removeprefix('ERROR: ')[:MAX_WORDS]}.{unreachable}")
