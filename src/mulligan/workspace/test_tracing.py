"""Running a test command with a program loaded into it: one that tells which lines each test runs, or one that
interrupts tests which don't end. Nothing is put into the project for it."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from mulligan.core.fault_localisation.plan import TracedRun
from mulligan.core.fault_localisation.traces import traced_command
from mulligan.runtime.regular_files import read_regular_text
from mulligan.syntax import tracers as programs
from mulligan.syntax.language import Tracer
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.sandbox import Openings

MOST_FILES = 64
"""That are read of what tracers wrote: one for each process of a runner."""
LARGEST = 50_000_000
"""Bytes of each. What is larger is left out."""


class RunCommand(Protocol):
    async def __call__(self, command: str, *, time_limit: float, openings: Openings) -> CommandResult: ...


async def run_traced(run: RunCommand, root: Path, planned: TracedRun) -> tuple[str, ...]:
    """What the tracers wrote, for `read_traces`; nothing where they could not be loaded, or the command not be run.
    `root` is the project's folder, as its commands see it."""
    wanted = {"failing": planned.failing, "files": planned.files, "seconds": planned.seconds, "most": planned.most}
    try:
        async with _installed(planned.tracers, {"root": str(root), **wanted}) as folder:
            command = traced_command(planned.command, planned.tracers, str(folder))
            await run(command, time_limit=planned.time_limit, openings=Openings(write=(folder,)))
            return await asyncio.to_thread(lambda: tuple(_written(folder)))
    except (CallRejected, OSError):
        return ()


async def run_interrupted(
    run: RunCommand, root: Path, command: str, interrupter: Tracer, *, stops: bool, time_limit: float
) -> CommandResult:
    """Each test that does not end fails where it is; or the first one `stops` the whole run. Raises `CallRejected`."""
    async with _installed((interrupter,), {"root": str(root), "stops": stops}) as folder:
        watched = traced_command(command, (interrupter,), str(folder))
        result = await run(watched, time_limit=time_limit, openings=Openings(write=(folder,)))
        return replace(result, command=command)


@asynccontextmanager
async def _installed(tracers: Sequence[Tracer], wanted: Mapping[str, object]) -> AsyncGenerator[Path]:
    folder = await asyncio.to_thread(lambda: Path(tempfile.mkdtemp(prefix="mulligan-trace-")).resolve())
    try:
        await asyncio.to_thread(_install, folder, tracers, wanted)
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _install(folder: Path, tracers: Sequence[Tracer], wanted: Mapping[str, object]) -> None:
    (folder / "wanted.json").write_text(json.dumps(wanted), encoding="utf-8")
    for tracer in tracers:
        place = Path(shutil.copyfile(Path(programs.__path__[0], tracer.program), folder / tracer.name))
        place.chmod(0o755)


def _written(folder: Path) -> Iterator[str]:
    for place in sorted(folder.glob("*.jsonl"))[:MOST_FILES]:
        try:
            # The project's own code could write there too.
            yield read_regular_text(place, errors="replace", limit=LARGEST, follow=False)
        except OSError:
            continue
