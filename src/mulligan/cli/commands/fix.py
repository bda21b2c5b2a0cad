"""`mulligan fix`: a goal, at most three attempts at it, and a verdict by the project's own commands."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mulligan.cli.completion import complete_runs
from mulligan.cli.options import (
    AgencyOption,
    BaseUrlOption,
    JsonOption,
    ModelOption,
    NetworkOption,
    ProjectOption,
    ProtocolOption,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import EXIT_CODES

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.fix_requests import FixRequest
    from mulligan.app.session import Session
    from mulligan.cli.views.run_views import RunViewer
    from mulligan.ports.commands import Approve
    from mulligan.types.settings import Settings

ProfileName = Literal["strict", "fast", "smoke", "yolo"]
"""As in `types/fixing`, which takes too long to load for a command that may not be called."""
SECONDS = 300.0


def fix(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What to reach; `-` reads it from standard input.")] = "",
    *,
    project: ProjectOption = None,
    verify: Annotated[
        list[str] | None,
        typer.Option("--verify", metavar="CMD", help="A command that judges the result; may be given several times."),
    ] = None,
    profile: Annotated[
        ProfileName, typer.Option("--profile", help="How much the model may ask for; see above.")
    ] = "fast",
    time_limit: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="How long one verifying command may run.")
    ] = SECONDS,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Go on with a run that was interrupted; `mulligan runs` lists them.",
            autocompletion=complete_runs,
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Apply a verified result, and run commands that would need your yes.")
    ] = False,
    network: NetworkOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    protocol: ProtocolOption = None,
    agency: AgencyOption = None,
    json: JsonOption = False,
) -> None:
    """Make the tests pass, in three attempts at most.

    Any goal will do that the project's own commands can judge. Mulligan plans, edits, runs them, learns from the
    failure and tries again. It works in a git work tree: your checkout is not touched. The result comes back as
    pending changes.

    \b
    Profiles bound what the model may ask for over the whole run:
      strict  20 commands, 5 of them test runs; may install packages
      fast    8 commands, 3 of them test runs; no installs
      smoke   3 commands, 1 of them a test run; no installs, no app runs
      yolo    15 commands, 4 of them test runs; may install packages; 500 steps
    """
    import asyncio

    from mulligan.app.configuration import load_configuration

    text = sys.stdin.read() if goal == "-" else goal
    if resume and text:
        raise ConfigurationError("--resume takes no goal: the run has one")
    if not resume and not text.strip():
        raise ConfigurationError('there is no goal: mulligan fix "make the tests pass"')
    if verify and not all(command.strip() for command in verify):
        raise ConfigurationError("--verify needs a command, such as --verify 'python -m pytest -q'")
    flags = {"model": model, "base_url": base_url, "protocol": protocol, "agency": agency, "network": network}
    asked = _Asked(text.strip(), resume, tuple(verify or ()), profile, time_limit, yes)
    raise typer.Exit(asyncio.run(_fix(load_configuration(project, flags), asked, as_json=json)))


@dataclass(frozen=True, slots=True)
class _Asked:
    goal: str
    resume: str | None
    verify: tuple[str, ...]
    profile: ProfileName
    time_limit: float
    yes: bool

    def request(self) -> "FixRequest":
        from mulligan.app.fix_requests import FixRequest

        return FixRequest(self.goal, self.profile, self.verify, self.time_limit)


async def _fix(configuration: "Configuration", asked: _Asked, *, as_json: bool) -> int:
    """Run it, let the person look at what it made, and return the exit code."""
    from mulligan.app.fix_runs import FixRuns
    from mulligan.app.session import open_session
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.views.run_views import run_viewer
    from mulligan.cli.views.turn_views import show_side_download

    viewer = run_viewer(as_json=as_json)
    person = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    async with open_session(configuration, tell=viewer.tell, pulling=show_side_download) as session:
        runs = FixRuns(session, viewer, _approve(viewer, session.settings, yes=asked.yes, person=person))
        work = (
            runs.resume(asked.resume, apply=asked.yes) if asked.resume else runs.start(asked.request(), apply=asked.yes)
        )
        exit_code = await show_turn(work, viewer)
        end = viewer.ended
        if exit_code == EXIT_CODES["aborted"]:
            await _say_how_to_resume(session, viewer)
        elif end and end.verdict == "verified" and end.pending and not as_json:
            kept = await session.store.find_run(str(session.settings.project), end.run_id)
            chat = await session.store.find_chat(kept.state.chat_id or "")
            return await review(session, chat, viewer, exit_code, person=person)
        return exit_code


def _approve(viewer: "RunViewer", settings: "Settings", *, yes: bool, person: bool) -> "Approve":
    from mulligan.app.project_tools import approve_all, deny_unasked
    from mulligan.cli.interactive.approval import AskAtTerminal, network_for
    from mulligan.cli.views.run_views import TerminalRunViewer

    if yes:
        return approve_all
    if person and isinstance(viewer, TerminalRunViewer):
        return AskAtTerminal(viewer.turn, always=network_for(settings))
    return deny_unasked


async def _say_how_to_resume(session: "Session", viewer: "RunViewer") -> None:
    runs = await session.store.runs(str(session.settings.project))
    if runs and runs[0].state.ended_at is None:
        viewer.tell(
            f"Stopped. Nothing in your checkout has changed. To go on: mulligan fix --resume {runs[0].state.id}"
        )
