"""`mulligan fix`: a goal, at most three attempts at it, and a verdict by the project's own commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mulligan.cli.completion import complete_runs
from mulligan.cli.turn_command import TurnOptions, read_prompt, takes
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import STOPS

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.fix_requests import FixRequest
    from mulligan.app.session import Session
    from mulligan.cli.views.run_views import RunViewer
    from mulligan.types.fixing import GoalText

ProfileName = Literal["strict", "fast", "smoke", "yolo"]
"""The same as in `types/fixing`, which is too slow to import for a command that may not run."""
SECONDS = 300.0
YesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Apply a verified result, and run commands that need approval.")
]


SHARED = ("image", "project", "yes", "network", "model", "base_url", "protocol", "agency", "thinking", "json")


@takes(*SHARED, yes=YesOption)
def fix(
    goal: Annotated[
        str,
        typer.Argument(
            metavar="GOAL",
            help="What to fix; `-` reads it from standard input. @FILE adds the text of a file, or an image.",
        ),
    ] = "",
    *,
    issue: Annotated[
        Path | None,
        typer.Option("--issue", metavar="FILE", help="A file that describes the problem: issue, log or traceback."),
    ] = None,
    verify: Annotated[
        list[str] | None,
        typer.Option("--verify", metavar="CMD", help="A command that judges the result. Repeatable."),
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
            help="Resume an interrupted run; `mulligan runs` lists them.",
            autocompletion=complete_runs,
        ),
    ] = None,
    options: TurnOptions,
) -> None:
    """Make the tests pass, in at most three attempts.

    The goal can be anything that the project's own commands can judge. Mulligan plans, edits, runs the commands, learns
    from the failure and tries again. It works in a git work tree and doesn't touch your checkout. The result comes back
    as pending changes.

    A goal may name a document of the project ("fix what ISSUE.md describes") or be a traceback, which `mulligan fix -`
    reads from standard input. The model sees both; only your commands judge.

    \b
    Profiles limit what the model may ask for over the whole run:
      strict  20 commands, 5 of them test runs; may install packages
      fast    8 commands, 3 of them test runs; no installs
      smoke   3 commands, 1 of them a test run; no installs, no app runs
      yolo    15 commands, 4 of them test runs; may install packages; 500 steps
    """
    import asyncio

    from mulligan.app.fix_requests import FixRequest

    refusal = "--resume takes no goal: the run has one" if resume else ""
    if resume and (issue or options.image):
        raise ConfigurationError(refusal)
    texts = (_issue_text(issue),) if issue else ()
    if texts and not goal:
        goal = f"fix what {texts[0].name} describes"
    text = read_prompt(goal, what="goal", example='mulligan fix "make the tests pass"', refusal=refusal)
    if verify and not all(command.strip() for command in verify):
        raise ConfigurationError("--verify needs a command, such as --verify 'python -m pytest -q'")
    request = resume or FixRequest(text.strip(), profile, tuple(verify or ()), time_limit, texts=texts)
    raise typer.Exit(asyncio.run(_fix(request, options, options.configuration())))


def _issue_text(file: Path) -> "GoalText":
    """Raises `ConfigurationError`."""
    from mulligan.runtime.regular_files import read_regular_text
    from mulligan.types.fixing import GoalText

    if file.is_dir():
        raise ConfigurationError(f"--issue {file} is a folder: name a file")
    try:
        text = read_regular_text(file)
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise ConfigurationError(f"--issue {file} can't be read: {why}") from error
    if not text.strip():
        raise ConfigurationError(f"--issue {file} is empty: say in it what is wrong, or give a goal")
    return GoalText(name=file.name, text=text)


async def _fix(request: "FixRequest | str", options: TurnOptions, configuration: "Configuration") -> int:
    """Start a run, or resume the one with this id, and let the user review its changes. Returns the exit code."""
    from dataclasses import replace

    from mulligan.app.fix_runs import FixRuns
    from mulligan.app.images import keep_image_files
    from mulligan.app.open_session import open_session
    from mulligan.app.ready_models import Downloads
    from mulligan.cli.interactive.approval import approver, network_for
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.views.download_progress import report_progress
    from mulligan.cli.views.run_views import TerminalRunViewer, run_viewer

    viewer = run_viewer(as_json=options.json)
    asking = viewer.turn if isinstance(viewer, TerminalRunViewer) else None
    allow = download_consent(viewer.tell, yes=options.yes, interactive=options.interactive)
    downloads = Downloads(report_progress, allow)
    async with open_session(configuration, tell=viewer.tell, downloads=downloads) as session:
        approve = approver(
            asking, yes=options.yes, interactive=options.interactive, always=network_for(session.settings)
        )
        runs = FixRuns(session, viewer, approve)
        if isinstance(request, str):
            work = runs.resume(request, apply=options.yes)
        else:
            images = await keep_image_files(session.store, options.image or (), request.goal)
            work = runs.start(replace(request, images=images), apply=options.yes)
        exit_code = await show_turn(work, viewer)
        end = viewer.ended
        if exit_code == STOPS["aborted"].exit_code:
            await _say_how_to_resume(session, viewer, request if isinstance(request, str) else None)
        elif end and end.verdict == "verified" and end.pending and not options.json:
            kept = await session.store.runs.find(str(session.settings.project), end.run_id)
            chat = await session.store.chats.find(kept.state.chat_id or "")
            return await review(session, chat, viewer, exit_code, interactive=options.interactive)
        return exit_code


async def _say_how_to_resume(session: "Session", viewer: "RunViewer", resumed: str | None) -> None:
    """The run was resumed by this id, or it is the newest one."""
    runs, project = session.store.runs, str(session.settings.project)
    found = [await runs.find(project, resumed)] if resumed else await runs.list(project)
    if found and found[0].state.ended_at is None:
        viewer.tell(
            f"Stopped. Nothing in your checkout has changed. To continue: mulligan fix --resume {found[0].state.id}"
        )
