"""Runs a test command with a program loaded into it: to record which lines each test runs, to interrupt tests that
don't end, or to run the tests for many versions of a file. Adds nothing to the project."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast

from mulligan.core.fault_localisation.plan import TracedRun
from mulligan.core.fault_localisation.traces import traced_command
from mulligan.runtime.lenient_json import JsonObject, as_text, parsed_object
from mulligan.runtime.regular_files import read_regular_text
from mulligan.syntax import tracers as programs
from mulligan.syntax.language import Tracer
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.commands import plain, shortened

MAX_FILES = 64
"""How many files of tracers are read: a runner writes one per process."""
MAX_FILE_BYTES = 50_000_000
"""Bytes of each; larger ones are skipped."""
TOGETHER_SECONDS = 5.0
"""Seconds after which a batch starts no further text, so that the user sees results."""
BATCH_BYTES = 400_000
"""Bytes kept of each stream of a test run in a batch."""


class RunCommand(Protocol):
    async def __call__(self, command: str, *, time_limit: float, access: ExtraAccess) -> CommandResult: ...


async def run_traced(run: RunCommand, root: Path, planned: TracedRun) -> tuple[str, ...]:
    """What the tracers wrote, for `read_traces`; nothing if they could not be loaded or the command could not run.
    `root` is the project's folder, as its commands see it."""
    wanted = {"failing": planned.failing, "files": planned.files, "seconds": planned.seconds, "most": planned.most}
    try:
        async with _installed(planned.tracers, {"root": str(root), **wanted}) as folder:
            command = traced_command(planned.command, planned.tracers, str(folder))
            await run(command, time_limit=planned.time_limit, access=ExtraAccess(write=(folder,)))
            return await asyncio.to_thread(lambda: tuple(_written(folder)))
    except (CallRejected, OSError):
        return ()


async def run_interrupted(
    run: RunCommand, root: Path, command: str, interrupter: Tracer, *, stops: bool, time_limit: float
) -> CommandResult:
    """Interrupts each test that does not end; with `stops`, the first one ends the whole run. Raises `CallRejected`."""
    async with _installed((interrupter,), {"root": str(root), "stops": stops}) as folder:
        watched = traced_command(command, (interrupter,), str(folder))
        result = await run(watched, time_limit=time_limit, access=ExtraAccess(write=(folder,)))
        return replace(result, command=command)


@dataclass(frozen=True, slots=True)
class BatchRuns:
    results: tuple[CommandResult, ...]
    """Results for the first texts, in order."""
    threads: bool = False
    """Whether loading the tests' imports starts threads, so that they can't be preloaded."""
    files: tuple[str, ...] = ()
    """The only test files that the command runs, if the runner found them."""


async def run_batch(
    run: RunCommand,
    root: Path,
    command: str,
    programs_loaded: Sequence[Tracer],
    texts: Sequence[tuple[str, bytes]],
    *,
    time_limit: float,
    preloads: bool,
    files: Sequence[str] = (),
    together: float = TOGETHER_SECONDS,
) -> BatchRuns:
    """Run a command for each of these texts of files, one after the other, until one passes. A run that is stopped may
    leave a text in its file. There are no results if the programs could not be loaded. `time_limit` is for each; after
    `together` seconds none is started. `files` were found by an earlier run of the same command."""
    wanted = {
        "root": str(root),
        "stops": True,
        "files": list(files),
        "texts": [(path, data.decode("latin-1")) for path, data in texts],
        "seconds": time_limit,
        "together": together,
        "most": BATCH_BYTES,
        "preloads": preloads,
    }
    try:
        async with _installed(programs_loaded, wanted) as folder:
            loading = traced_command(command, programs_loaded, str(folder))
            limit = together + 2 * time_limit
            await run(loading, time_limit=limit, access=ExtraAccess(write=(folder,)))
            written = await asyncio.to_thread(lambda: "".join(_written(folder)))
    except (CallRejected, OSError):
        return BatchRuns(())
    records = [record for line in written.splitlines() if (record := parsed_object(line)) is not None]
    results = tuple(_batch_result(command, record) for record in records if "exit_code" in record)
    found = next((record["files"] for record in records if "files" in record), None)
    return BatchRuns(
        results[: len(texts)],
        threads=any("threads" in record for record in records),
        files=tuple(as_text(each) for each in cast("list[object]", found)) if isinstance(found, list) else tuple(files),
    )


def _batch_result(command: str, record: JsonObject) -> CommandResult:
    code, seconds = record["exit_code"], record.get("seconds")
    stdout, stderr = (shortened(plain(as_text(record.get(name)).encode())) for name in ("stdout", "stderr"))
    return CommandResult(
        command=command,
        exit_code=code if isinstance(code, int) else None,
        timed_out=code is None,
        stdout=stdout,
        stderr=stderr,
        seconds=seconds if isinstance(seconds, float) else 0.0,
    )


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
    for place in sorted(folder.glob("*.jsonl"))[:MAX_FILES]:
        try:
            # The project's code could write there too.
            yield read_regular_text(place, errors="replace", limit=MAX_FILE_BYTES, follow=False)
        except OSError:
            continue
