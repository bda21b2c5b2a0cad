"""The installed command against a scripted server process, in a project made for it."""

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mulligan
from bench.results import BenchFailed, Version
from mulligan.models.embedded.catalog import find_entry

MULLIGAN = Path(sys.executable).with_name("mulligan")
LAUNCHER = Path(__file__).with_name("launcher.py")
EMBEDDED = "embedded:qwen2.5-coder-1.5b"


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command."""

    exit_code: int
    frames: list[dict[str, Any]]
    """Frames printed by `--json`."""
    stderr: str
    started: float
    """On the system's monotonic clock, as the server's times are."""
    seconds: float
    cpu_seconds: float
    peak_mb: float

    @property
    def last(self) -> dict[str, Any]:
        return self.frames[-1] if self.frames else {}

    def keep(self, folder: Path | None, name: str) -> None:
        """What it printed, for whoever wants to know what it did; nothing without a folder."""
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            lines = [json.dumps(frame) for frame in self.frames]
            (folder / f"{name}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def run_measured(command: Sequence[str | Path], *, home: Path, cwd: Path | None = None) -> Measured:
    """Run a command to its end and see what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        out, err, told = Path(folder, "out"), Path(folder, "err"), Path(folder, "told")
        # -I and -S: without what an environment would add to its memory.
        launcher = [sys.executable, "-I", "-S", LAUNCHER, told]
        with out.open("wb") as stdout, err.open("wb") as stderr:
            subprocess.run(
                [*launcher, *command],
                stdout=stdout, stderr=stderr, stdin=subprocess.DEVNULL, env=environment_for(home), cwd=cwd, check=True,
            )  # fmt: skip
        code, started, seconds, cpu_seconds, peak_kb = told.read_text().split()
        return Measured(
            exit_code=int(code),
            frames=[json.loads(line) for line in out.read_bytes().splitlines() if line.startswith(b"{")],
            stderr=err.read_text(),
            started=float(started),
            seconds=float(seconds),
            cpu_seconds=float(cpu_seconds),
            peak_mb=int(peak_kb) / 1024,
        )


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `mulligan serve`. Its resource use is read from /proc."""

    url: str
    """Without a slash at the end."""
    pid: int

    def cpu_seconds(self) -> float:
        """Used so far."""
        # The name is in brackets and may contain spaces, so count fields after it.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def loop_seconds(self) -> float:
        """What its event loop alone has used: exact, where the other is counted in hundredths of a second."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9

    def waited_seconds(self) -> float:
        """So long its event loop could have run and other processes had the cores: what a busy machine costs it."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9

    def memory_mb(self) -> float:
        """What it holds now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


@contextmanager
def serving(project: Path, *, home: Path, base_url: str, model: str) -> Generator[Serving, None, None]:
    """`mulligan serve` from this source tree on a free port, for as long as the context lasts."""
    arguments = ["serve", "--port", "0", "-C", str(project), "--base-url", base_url, "--model", model]
    with _started(arguments, home) as (said, pid):
        yield Serving(said.removeprefix("Mulligan is at ").strip().rstrip("/"), pid)


@contextmanager
def proxying(upstream: str, *, home: Path, more: Sequence[str] = ()) -> Generator[Serving, None, None]:
    """`mulligan proxy` from this source tree in front of a server."""
    with _started(["proxy", "--port", "0", "--upstream", upstream, *more], home) as (said, pid):
        yield Serving(said.removeprefix("Mulligan's proxy is at ").partition(",")[0].removesuffix("/v1"), pid)


@contextmanager
def _started(arguments: Sequence[str], home: Path) -> Generator[tuple[str, int], None, None]:
    """A command that says where it is once it answers."""
    ours = environment_for(home) | {
        "PYTHONPATH": str(Path(mulligan.__file__).parent.parent),
        "MULLIGAN_DISCOVERY": "no",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "mulligan", *arguments],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ours, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if " is at http" not in said:
                raise BenchFailed(f"mulligan {arguments[0]} did not start: {said!r}")
            yield said, process.pid
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


@contextmanager
def environ_with(**values: str) -> Generator[None, None, None]:
    """Set these variables for this process and its children, and restore them afterwards."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def model_versions(model: str) -> Iterator[Version]:
    """The model that a bench asks: an embedded one to the byte, with the engine that runs it."""
    prefix, _, name = model.rpartition(":")
    if prefix != "embedded":
        yield Version("model", model)
        return
    yield Version("model", f"{name} (sha256 {find_entry(name).sha256[:12]})")
    yield Version("xllamacpp", importlib.metadata.version("xllamacpp"))


def commit_all(project: Path) -> None:
    """Make it a git repository."""
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "As it was"]):
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)


def tell(words: str) -> None:
    """Print a bench's progress. Results go elsewhere."""
    print(f"  {words}", file=sys.stderr, flush=True)


def environment_for(home: Path) -> dict[str, str]:
    """Our environment, without the user's settings for Mulligan and Python."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "PYTHON"))}
    return kept | {"MULLIGAN_HOME": str(home)}
