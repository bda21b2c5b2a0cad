"""`mulligan runs`: what fix runs did, and what came of them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mulligan.cli.completion import complete_runs
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.ports.runs import KeptRun

NONE_YET = 'there are no fix runs of this project yet: mulligan fix "…" begins one'

runs = listing_group(
    """List and show the fix runs of this project.

    Without a command, they are listed. One that was interrupted goes on with `mulligan fix --resume ID`.
    """
)


@runs.command("list", epilog=help_epilogs.RUNS_LIST)
def list_runs(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the fix runs of this project, the newest first."""
    import asyncio

    from mulligan.cli.text.run_report import status_words
    from mulligan.cli.text.safe_text import one_line
    from mulligan.cli.text.sentences import format_time

    print_list(
        asyncio.run(_listed(project)),
        as_json=json,
        fields=_listed_fields,
        headings=("id", "started", "verdict", "attempts", "goal"),
        row=lambda kept: (
            kept.state.id,
            format_time(kept.state.started_at),
            status_words(kept),
            str(_attempts(kept)),
            one_line(kept.state.goal, 60),
        ),
        none=NONE_YET,
    )


@runs.command(epilog=help_epilogs.RUNS_SHOW)
def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="Its id, or the beginning of it; else the newest.", autocompletion=complete_runs
        ),
    ] = "",
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a run did, and what came of it.

    Verdict and reason, each attempt with its plan, commands and diff, files, and what to do next.
    """
    import asyncio

    kept = asyncio.run(_found(project, run))
    if json:
        print_json(_shown_fields(kept))
        return
    from mulligan.cli.text.run_report import run_lines
    from mulligan.cli.text.safe_text import lenient_stream

    lenient_stream(sys.stdout).writelines(f"{line}\n" for line in run_lines(kept))


async def _listed(project: Path | None) -> "list[KeptRun]":
    async with open_session_at(project) as session:
        return await session.store.runs.list(str(session.settings.project))


async def _found(project: Path | None, prefix: str) -> "KeptRun":
    """The run that was named, or the newest."""
    async with open_session_at(project) as session:
        name = str(session.settings.project)
        if prefix:
            return await session.store.runs.find(name, prefix)
        found = await session.store.runs.list(name)
    if not found:
        raise ConfigurationError(NONE_YET)
    return found[0]


def _listed_fields(kept: "KeptRun") -> dict[str, Any]:
    state = kept.state
    return {
        "id": state.id,
        "started_at": state.started_at,
        "updated_at": kept.updated_at,
        "ended_at": state.ended_at,
        "running": kept.running,
        "verdict": state.verdict,
        "reason": state.reason,
        "attempts": _attempts(kept),
        "goal": state.goal,
    }


def _attempts(kept: "KeptRun") -> int:
    """Those that were made. A run that was stored without records knows the failed ones."""
    return len(kept.state.attempts_made) or kept.state.history.attempts


def _shown_fields(kept: "KeptRun") -> dict[str, Any]:
    """The whole state, as it is kept, and what is known besides."""
    from mulligan.cli.text.run_report import logs_of, next_steps, report_of

    report, logs = report_of(kept), logs_of(kept)
    return {
        **kept.state.model_dump(exclude={"runs": {"__all__": {"stdout", "stderr"}}}),
        "running": kept.running,
        "updated_at": kept.updated_at,
        "report": str(report) if report else None,
        "logs": str(logs) if logs else None,
        "next_steps": next_steps(kept),
    }
