"""`mulligan runs`: what fix runs did, and how they ended."""

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
from mulligan.core.fix_runs.attempts import attempt_count
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.ports.runs import KeptRun

NONE_YET = 'this project has no fix runs yet: start one with mulligan fix "…"'

runs = listing_group(
    """List and show the fix runs of this project.

    Without a command, lists them. `mulligan fix --resume ID` resumes an interrupted one.
    """
)


@runs.command("list", epilog=help_epilogs.RUNS_LIST)
def list_runs(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List this project's fix runs, newest first."""
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
            str(attempt_count(kept.state)),
            one_line(kept.state.goal, 60),
        ),
        none=NONE_YET,
    )


@runs.command(epilog=help_epilogs.RUNS_SHOW)
def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="Its id, or the start of it. By default, the newest.", autocompletion=complete_runs
        ),
    ] = "",
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a run did, and how it ended.

    Shows verdict and reason, each attempt with its plan, commands and diff, the files, and what to do next.
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
    """The named run, or the newest."""
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
        "attempts": attempt_count(state),
        "goal": state.goal,
    }


def _shown_fields(kept: "KeptRun") -> dict[str, Any]:
    """The whole stored state, and what else is known."""
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
