"""Plays a fault with its own project and home, the real command and a scripted server, then checks the result."""

import asyncio
import json
import os
import socket
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mulligan import __version__
from mulligan.drill.actions import describe_actions
from mulligan.drill.claims import ALWAYS
from mulligan.drill.commands import CommandEnd, WarmCommands, loaded
from mulligan.drill.fault import Claim, CommandStep, DrillEnd, Fault, FolderStep, Outcome, ProxyStep
from mulligan.drill.observed import FinishedCommand, Observation, Photo, ProxiedReply
from mulligan.drill.other_agent import converse, proxy_address
from mulligan.models.scripted.server import SeenRequest, serve_script
from mulligan.runtime.marked_processes import end_marked
from mulligan.types.errors import MulliganError
from mulligan.workspace.process import run_process
from mulligan.workspace.sandbox import find_sandbox

COMMAND_SECONDS = 60.0
"""Seconds after which a command counts as hung: far more than any takes, even on a busy machine."""
OUTPUT_CAP = 20_000_000
NOT_USER_FILES = frozenset({".git", ".mulligan", "__pycache__"})
NOTES = (".mulligan/issues.md",)
USER = "user"


async def play(fault: Fault, commands: WarmCommands) -> Outcome:
    """Never raises because of what Mulligan does: problems are in the outcome."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mulligan-drill-", ignore_cleanup_errors=True) as folder:
        place = _Place(Path(folder))
        try:
            seen = await _played(fault, place, commands)
        except asyncio.CancelledError:
            # A killed command could not end the processes that it started, and they would keep writing here.
            end_marked(f"MULLIGAN_HOME={place.home}")
            raise
        except Exception as error:  # noqa: BLE001 - a broken Mulligan may print anything, and a step is made from that
            problems, did, requests = [f"it could not be played: {_words(error)}"], "was not played", 0
        else:
            problems, did, requests = _judged(fault, seen), _actions(seen), seen.requests
    return Outcome(
        name=fault.name,
        title=fault.title,
        group=fault.group,
        did=did,
        requests=requests,
        holds=not problems,
        problems=tuple(problems),
        seconds=round(time.monotonic() - started, 2),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """The folders where a fault is played."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def user_home(self) -> Path:
        """The user's home folder, if the fault has one."""
        return self.folder / USER

    def environ(self, more: Mapping[str, str]) -> dict[str, str]:
        """The user's environment, without settings of Mulligan and git, which would change the results."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "GIT_"))}
        alone = {
            "MULLIGAN_HOME": str(self.home),
            "MULLIGAN_DISCOVERY": "no",
            "MULLIGAN_DOWNLOADS": "no",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **({"HOME": str(self.user_home)} if self.user_home.is_dir() else {}),
        }
        return {**kept, **alone, **more}


async def _played(fault: Fault, place: _Place, commands: WarmCommands) -> Observation:
    _lay_out(fault.files, place.project)
    _lay_out(fault.outside, place.folder)
    if fault.settings:
        _lay_out({"mulligan.toml": fault.settings}, place.home)
    if fault.repository:
        await _commit_all(place)
    photos = [await _photograph(fault, place)]
    runs: list[FinishedCommand] = []
    for step in fault.steps:
        match step:
            case FolderStep():
                step.do(place.project)
            case ProxyStep():
                runs.append(await _proxied(step, place, commands))
            case CommandStep():
                runs.append(await _ran(fault, step, runs, place, commands))
        photos.append(await _photograph(fault, place))
    return Observation(tuple(runs), tuple(photos))


def _judged(fault: Fault, seen: Observation) -> list[str]:
    hung = [
        f"`mulligan {run.words[0]}` was still running after {COMMAND_SECONDS:.0f} s" for run in seen.runs if _hung(run)
    ]
    crashed = [f"`mulligan {run.words[0]}` failed: {run.stderr.strip()[-300:]}" for run in seen.runs if _crashed(run)]
    broken = (_checked(claim, seen) for claim in (*fault.claims, *ALWAYS))
    return [*hung, *crashed, *(words for words in broken if words)]


def _checked(claim: Claim, seen: Observation) -> str | None:
    try:
        return claim(seen)
    except Exception as error:  # noqa: BLE001 - claims read frames, and a broken Mulligan may print anything
        return f"what was printed is not what it should be: {_words(error)}"


def _actions(seen: Observation) -> str:
    try:
        return describe_actions(seen)
    except Exception as error:  # noqa: BLE001 - as with claims, which have already reported it
        return f"can't be told: {_words(error)}"


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, MulliganError) else f"{type(error).__name__}: {error}"


def _hung(run: FinishedCommand) -> bool:
    return run.exit_code is None


def _crashed(run: FinishedCommand) -> bool:
    """Mulligan itself failed, which no model may cause."""
    return run.exit_code == 1 or "Traceback (most recent call last)" in run.stderr


async def _ran(
    fault: Fault, run: CommandStep, before: Sequence[FinishedCommand], place: _Place, commands: WarmCommands
) -> FinishedCommand:
    words = tuple(run.words(before) if callable(run.words) else run.words)
    async with _model(run) as (base_url, requests):
        server = ("--base-url", base_url, "--model", "scripted") if base_url else ()
        command = (*words, *server, "--json", "-C", str(place.project))
        started = time.monotonic()
        given = {name: value.replace("{project}", str(place.project)) for name, value in run.environ.items()}
        env = place.environ({"MULLIGAN_SANDBOX": fault.mechanism, **given} if fault.mechanism else given)
        ended = await commands.run(command, folder=place.folder, env=env, time_limit=COMMAND_SECONDS)
        return _finished(command, ended, requests, started)


async def _proxied(step: ProxyStep, place: _Place, commands: WarmCommands) -> FinishedCommand:
    replies: list[ProxiedReply] = []

    async def agent(stderr: Path) -> None:
        await converse(step, await proxy_address(stderr), replies)

    async with serve_script(step.script) as server:
        command = ("proxy", "--upstream", server.base_url, "--port", "0", "--json")
        started = time.monotonic()
        ended = await commands.run(
            command, folder=place.folder, env=place.environ({}), time_limit=COMMAND_SECONDS, meanwhile=agent
        )
        return replace(_finished(command, ended, server.requests, started), replies=tuple(replies))


def _finished(
    command: tuple[str, ...], ended: CommandEnd, requests: Sequence[SeenRequest], started: float
) -> FinishedCommand:
    return FinishedCommand(
        words=command,
        exit_code=ended.code,
        frames=_frames(ended.stdout),
        stderr=ended.stderr.decode(errors="replace"),
        requests=tuple(request.body for request in requests),
        seconds=time.monotonic() - started,
    )


@asynccontextmanager
async def _model(run: CommandStep) -> AsyncGenerator[tuple[str | None, list[SeenRequest]]]:
    """The address of the model, if the command needs one, and the requests to it."""
    if run.dead:
        # Bound without listening: connections are refused, and no other program can take the port meanwhile.
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1", []
    elif run.script is None:
        yield None, []
    else:
        async with serve_script(run.script) as server:
            yield server.base_url, server.requests


def _frames(stdout: bytes) -> tuple[dict[str, Any], ...]:
    lines = (line for line in stdout.splitlines() if line.startswith(b"{"))
    return tuple(json.loads(line) for line in lines)


def _lay_out(files: Mapping[str, str | bytes], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


async def _photograph(fault: Fault, place: _Place) -> Photo:
    files = {
        path.relative_to(place.project).as_posix(): path.read_bytes()
        for path in sorted(place.project.rglob("*"))
        if path.is_file() and not NOT_USER_FILES.intersection(path.relative_to(place.project).parts)
    }
    # These also work before the first commit, when HEAD points to nothing.
    looks = (("status", "--porcelain=v2", "--branch"), ("for-each-ref", "refs/heads", "refs/tags"), ("ls-files", "-s"))
    git = "\n".join([await _git(place, *words) for words in looks]) if fault.repository else None
    notes = {path: (place.project / path).read_text("utf-8") for path in NOTES if (place.project / path).exists()}
    return Photo(files, git, notes, _outside(fault, place))


def _outside(fault: Fault, place: _Place) -> dict[str, bytes]:
    """Files next to the project, including those added to the fault's folders."""
    found: dict[str, bytes] = {}
    for name in {path.partition("/")[0] for path in fault.outside}:
        for path in (place.folder / name, *(place.folder / name).rglob("*")):
            known = path.lstat()
            data = b"" if not path.is_file() or path.is_symlink() else path.read_bytes()
            kind = f"{known.st_mode:o} {known.st_uid} {known.st_mtime_ns if path.is_file() else 0} ".encode()
            found[path.relative_to(place.folder).as_posix()] = kind + data
    return found


async def _commit_all(place: _Place) -> None:
    await _git(place, "init", "-q", "-b", "main")
    await _git(place, "add", "-A")
    await _git(place, "-c", "user.name=drill", "-c", "user.email=drill@localhost", "commit", "-qm", "As it was")


async def _git(place: _Place, *words: str) -> str:
    ended = await run_process(
        ["git", *words], cwd=place.project, env=place.environ({}), time_limit=COMMAND_SECONDS, output_cap=OUTPUT_CAP
    )
    if ended.code != 0:
        raise MulliganError(f"git {words[0]} failed: {ended.stderr.decode(errors='replace').strip()}")
    return ended.stdout.decode(errors="replace")


async def play_all(
    faults: Sequence[Fault], *, on_start: Callable[[Fault], None], on_end: Callable[[Outcome], None]
) -> DrillEnd:
    """Starts the faults in order, and reports them as they end. If cancelled, it leaves no process or folder behind."""
    began = time.monotonic()
    # One more than there are cores, because some faults mostly wait.
    slots = asyncio.Semaphore((os.cpu_count() or 1) + 1)

    async def one(fault: Fault) -> Outcome:
        async with slots:
            on_start(fault)
            missing = await asyncio.to_thread(_missing, fault)
            outcome = _skipped(fault, missing) if missing else await play(fault, commands)
            on_end(outcome)
            return outcome

    async with loaded() as commands, asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(fault)) for fault in faults]
    outcomes = [outcome for task in tasks if (outcome := task.result()).played]
    return DrillEnd(
        version=__version__,
        faults=len(outcomes),
        held=sum(outcome.holds for outcome in outcomes),
        requests=sum(outcome.requests for outcome in outcomes),
        seconds=round(time.monotonic() - began, 2),
    )


def _missing(fault: Fault) -> str:
    """Why a fault can't be played here: without its sandbox, it would do what it tries."""
    if fault.mechanism is None or fault.mechanism == "none":
        return ""
    found = find_sandbox(fault.mechanism)
    return "" if found.mechanism == fault.mechanism else found.missing or "it does not work here"


def _skipped(fault: Fault, missing: str) -> Outcome:
    return Outcome(
        name=fault.name,
        title=fault.title,
        group=fault.group,
        did=f"was not played, as there is no {fault.mechanism}: {missing}",
        requests=0,
        played=False,
        holds=True,
        problems=(),
        seconds=0.0,
    )
