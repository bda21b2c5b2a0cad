"""The installed command against a scripted server process, in a project made for it."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mulligan

MULLIGAN = Path(sys.executable).with_name("mulligan")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command."""

    exit_code: int
    frames: list[dict[str, Any]]
    """What `--json` printed."""
    stderr: str
    started: float
    """On the system's monotonic clock, as the server's times are."""
    seconds: float
    cpu_seconds: float
    peak_mb: float

    @property
    def last(self) -> dict[str, Any]:
        return self.frames[-1] if self.frames else {}


def run_measured(command: Sequence[str | Path], *, home: Path, cwd: Path | None = None) -> Measured:
    """Run a command to its end and see what it cost."""
    environ = _environ(home)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        process = subprocess.Popen(
            [str(part) for part in command], stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environ, cwd=cwd
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        frames = [json.loads(line) for line in out.read().splitlines() if line.startswith(b"{")]
        return Measured(
            exit_code=process.returncode,
            frames=frames,
            stderr=err.read().decode(),
            started=started,
            seconds=seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_mb=usage.ru_maxrss / 1024,
        )


@dataclass(frozen=True, slots=True)
class Serving:
    """A `mulligan serve` that answers. What it costs is read from /proc."""

    url: str
    """Without a slash at the end."""
    pid: int

    def cpu_seconds(self) -> float:
        """Used so far."""
        # The name stands in brackets and may hold spaces: the fields are counted after it.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def waited_seconds(self) -> float:
        """So long its event loop could have run and other processes had the cores: what a busy machine costs it."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9

    def memory_mb(self) -> float:
        """What it holds now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


@contextmanager
def serving(project: Path, *, home: Path, base_url: str, model: str) -> Generator[Serving, None, None]:
    """`mulligan serve` of this very code on a free port, for as long as the context lasts."""
    environ = _environ(home) | {"PYTHONPATH": str(Path(mulligan.__file__).parent.parent), "MULLIGAN_DISCOVERY": "no"}
    arguments = ["serve", "--port", "0", "-C", str(project), "--base-url", base_url, "--model", model]
    with subprocess.Popen(
        [sys.executable, "-m", "mulligan", *arguments],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environ, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            url = said.removeprefix("Mulligan is at ").strip()
            if url == said.strip():
                sys.exit(f"the server did not start: {said!r}")
            yield Serving(url.rstrip("/"), process.pid)
        finally:
            process.terminate()


@contextmanager
def project_of(files: int) -> Generator[Path, None, None]:
    """A folder with so many small Python files, `file_1.py` and on."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, files + 1):
            body = "\n".join(f"def function_{number}_{line}():\n    return {line}\n" for line in range(20))
            Path(folder, f"file_{number}.py").write_text(body)
        yield Path(folder)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A Markdown table."""
    print(f"## {title}\n")
    print(f"| {' | '.join(columns)} |")
    print(f"|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
    print()


def _environ(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "PYTHON"))}
    return kept | {"MULLIGAN_HOME": str(home)}
