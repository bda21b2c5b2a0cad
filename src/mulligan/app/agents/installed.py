"""Which external agents are installed, and in which version."""

import asyncio
import os
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import CallRejected

TIME_LIMIT = 5.0
"""Seconds for a program to report its version. Large ones take some when they are not in the disk cache."""
OUTPUT_CAP = 64_000

_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+[\w.+-]*)")


@dataclass(frozen=True, slots=True)
class InstalledProgram:
    path: str | None
    """The program, if there is one."""
    version: str | None
    """None if there is no program, or it does not answer in time."""


class ProcessResult(Protocol):
    @property
    def stdout(self) -> bytes: ...


class RunProcess(Protocol):
    """Runs a command and leaves nothing behind. Raises `CallRejected` if it can't be started."""

    async def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], time_limit: float, output_cap: int
    ) -> ProcessResult: ...


async def find_installed(
    agents: Collection[ExternalAgent], run: RunProcess, environ: Mapping[str, str] = os.environ
) -> dict[str, InstalledProgram]:
    """Versions by the agents' names. All programs run at the same time, and one that several agents use runs once."""
    paths = {agent.name: program_of(agent, environ) for agent in agents}
    questions = {agent.name: (path, *agent.version_args) for agent in agents if (path := paths[agent.name])}
    asked = list(dict.fromkeys(questions.values()))
    answers = dict(zip(asked, await asyncio.gather(*(_version(argv, run, environ) for argv in asked)), strict=True))
    return {
        name: InstalledProgram(path, answers[questions[name]] if name in questions else None)
        for name, path in paths.items()
    }


def program_of(agent: ExternalAgent, environ: Mapping[str, str] = os.environ) -> str | None:
    """The file that the agent's command runs, or none if it is not installed."""
    return shutil.which(agent.command[0], path={**environ, **agent.env}.get("PATH"))


async def _version(argv: tuple[str, ...], run: RunProcess, environ: Mapping[str, str]) -> str | None:
    program, *arguments = argv
    if not arguments:
        return None
    try:
        # Not in the user's folder: a repository may contain files that a program reads at startup.
        end = await run(argv, cwd=Path(program).parent, env=environ, time_limit=TIME_LIMIT, output_cap=OUTPUT_CAP)
    except CallRejected:
        return None
    version = _VERSION.search(end.stdout.decode(errors="replace"))
    return version[1] if version else None
