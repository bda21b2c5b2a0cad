"""`mulligan fix`: a goal, at most three attempts at it, and a verdict by the project's own commands."""

from pathlib import Path
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
    ThinkingOption,
)
from mulligan.cli.turn_command import TurnOptions, read_prompt
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import STOPS

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.fix_requests import FixRequest
    from mulligan.app.session import Session
    from mulligan.cli.views.run_views import RunViewer
    from mulligan.types.fixing import GoalText

ProfileName = Literal["strict", "fast", "smoke", "yolo"]
"""As in `types/fixing`, which takes too long to load for a command that may not be called."""
SECONDS = 300.0


def fix(
    goal: Annotated[
        str,
        typer.Argument(
            metavar="GOAL",
            help="What to reach; `-` reads it from standard input. @FILE in it adds the text of a file.",
        ),
    ] = "",
    *,
    issue: Annotated[
        Path | None,
        typer.Option("--issue", metavar="FILE", help="A file that tells what is wrong: an issue, a log, a traceback."),
    ] = None,
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
    thinking: ThinkingOption = None,
    json: JsonOption = False,
) -> None:
    """Make the tests pass, in three attempts at most.

    Any goal will do that the project's own commands can judge. Mulligan plans, edits, runs them, learns from the
    failure and tries again. It works in a git work tree: your checkout is not touched. The result comes back as
    pending changes.

    A goal may name a document of the project ("fix what ISSUE.md describes") or be a pasted traceback: `mulligan fix -`
    reads one from standard input. Both are shown to the model; only your commands judge.

    \b
    Profiles bound what the model may ask for over the whole run:
      strict  20 commands, 5 of them test runs; may install packages
      fast    8 commands, 3 of them test runs; no installs
      smoke   3 commands, 1 of them a test run; no installs, no app runs
      yolo    15 commands, 4 of them test runs; may install packages; 500 steps
    """
    import asyncio

    from mulligan.app.fix_requests import FixRequest

    refusal = "--resume takes no goal: the run has one" if resume else ""
    if resume and issue:
        raise ConfigurationError(refusal)
    texts = (_issue_text(issue),) if issue else ()
    if texts and not goal:
        goal = f"fix what {texts[0].name} describes"
    text = read_prompt(goal, what="goal", example='mulligan fix "make the tests pass"', refusal=refusal)
    if verify and not all(command.strip() for command in verify):
        raise ConfigurationError("--verify needs a command, such as --verify 'python -m pytest -q'")
    options = TurnOptions(
        project=project,
        yes=yes,
        network=network,
        model=model,
        base_url=base_url,
        protocol=protocol,
        agency=agency,
        thinking=thinking,
        json=json,
    )
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
        why = "it is no text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise ConfigurationError(f"--issue {file} can't be read: {why}") from error
    if not text.strip():
        raise ConfigurationError(f"--issue {file} is empty: say in it what is wrong, or give a goal")
    return GoalText(name=file.name, text=text)


async def _fix(request: "FixRequest | str", options: TurnOptions, configuration: "Configuration") -> int:
    """Start a run, or resume the one with this id; let the person look at what it made. Returns the exit code."""
    from mulligan.app.fix_runs import FixRuns
    from mulligan.app.ready_models import Downloads
    from mulligan.app.session import open_session
    from mulligan.cli.interactive.approval import approver, network_for
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.views.download_progress import telling_progress
    from mulligan.cli.views.run_views import TerminalRunViewer, run_viewer

    viewer = run_viewer(as_json=options.json)
    asking = viewer.turn if isinstance(viewer, TerminalRunViewer) else None
    allow = download_consent(viewer.tell, yes=options.yes, person=options.person)
    downloads = Downloads(telling_progress, allow)
    async with open_session(configuration, tell=viewer.tell, downloads=downloads) as session:
        approve = approver(asking, yes=options.yes, person=options.person, always=network_for(session.settings))
        runs = FixRuns(session, viewer, approve)
        if isinstance(request, str):
            work = runs.resume(request, apply=options.yes)
        else:
            work = runs.start(request, apply=options.yes)
        exit_code = await show_turn(work, viewer)
        end = viewer.ended
        if exit_code == STOPS["aborted"].exit_code:
            await _say_how_to_resume(session, viewer)
        elif end and end.verdict == "verified" and end.pending and not options.json:
            kept = await session.store.runs.find(str(session.settings.project), end.run_id)
            chat = await session.store.chats.find(kept.state.chat_id or "")
            return await review(session, chat, viewer, exit_code, person=options.person)
        return exit_code


async def _say_how_to_resume(session: "Session", viewer: "RunViewer") -> None:
    runs = await session.store.runs.list(str(session.settings.project))
    if runs and runs[0].state.ended_at is None:
        viewer.tell(
            f"Stopped. Nothing in your checkout has changed. To go on: mulligan fix --resume {runs[0].state.id}"
        )
