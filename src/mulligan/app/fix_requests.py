"""The start of a fix run: refuses what can't work, then stores the run, held by this process."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.app.images import keep_named_images
from mulligan.app.project_manifests import read_manifests
from mulligan.app.session import Session
from mulligan.core.fix_runs.goal_files import MAX_CHARS, MAX_TEXTS, files_in_goal
from mulligan.core.fix_runs.prompt_parts import both_ends
from mulligan.core.project_commands import find_commands, given_command
from mulligan.models.known.profiles import Choice
from mulligan.store.ids import new_id
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.fixing import GoalText, ProfileName, ProjectCommand, RunState
from mulligan.types.messages import AttachmentInfo
from mulligan.types.profiles import Agency
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.git import open_repository

CODER = "coder"
VERIFY_SECONDS = 300.0
"""Default time limit of one command that judges a run."""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """A request for a new run."""

    goal: str
    profile: ProfileName
    verify: tuple[str, ...]
    """Commands that judge it; by default found in the project."""
    time_limit: float = VERIFY_SECONDS
    """Seconds for one of them."""
    model: str | None = None
    """Overrides agent and settings."""
    texts: tuple[GoalText, ...] = ()
    """Texts that the user gave in addition to the goal."""
    images: tuple[AttachmentInfo, ...] = ()
    """Images that the user gave in addition to those that the goal names."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A stored run that nobody else works on. The holder runs it or releases it."""

    state: RunState
    agent: AgentSpec
    model: str | None
    """The model that was named for it."""
    resumed: bool


async def start_run(session: Session, request: FixRequest) -> StartedRun:
    """Raises `NoRepository` or `ConfigurationError` before anything is stored. Downloads and asks no model."""
    project = session.settings.project
    if not request.goal.strip():
        raise ConfigurationError("there is no goal: say what to fix, such as `make the tests pass`")
    if any(not command.strip() or "\0" in command for command in request.verify):
        raise ConfigurationError("a command that judges the run is empty: name one, such as `python -m pytest -q`")
    await open_repository(project)
    agent = _coder(session)
    choice = await _checked_choice(session, agent, request.model)
    commands = await project_commands(session, request.verify)
    texts = await _goal_texts(session, request)
    images = await _goal_images(session, request)
    agency = await _agency(session, agent, request.model, choice, images)
    run_id = new_id()
    state = RunState(
        id=run_id,
        project=str(project),
        goal=request.goal,
        goal_texts=texts,
        goal_images=images,
        profile=request.profile,
        agency=agency,
        model=choice.model,
        asked_model=request.model,
        commands=commands,
        time_limit=request.time_limit,
        started_at=time.time(),
        chat_id=(await session.new_chat(f"fix: {request.goal}", agent, run_id=run_id)).id,
    )
    await session.store.runs.add(state)
    return StartedRun(state, agent, request.model, resumed=False)


async def resume_run(session: Session, run: str) -> StartedRun:
    """Resume an interrupted run. Raises `ConfigurationError` if it has ended or is running."""
    kept = await session.store.runs.find(str(session.settings.project), run)
    if kept.state.ended_at is not None:
        raise ConfigurationError(
            f"run {kept.state.id} has ended ({kept.state.verdict}): `mulligan runs show {kept.state.id}` shows it"
        )
    agent = _coder(session)
    model = session.chosen_model or kept.state.asked_model
    choice = await _checked_choice(session, agent, model)
    agency = await _agency(session, agent, model, choice, kept.state.goal_images)
    state = await session.store.runs.claim(kept.state.id)
    return StartedRun(state.model_copy(update={"agency": agency}), agent, model, resumed=True)


async def move_run(session: Session, state: RunState) -> StartedRun:
    """Resume, in this project, a run that was started on another machine. Its work tree is rebuilt."""
    agent = _coder(session)
    choice = await _checked_choice(session, agent, state.asked_model)
    agency = await _agency(session, agent, state.asked_model, choice, state.goal_images)
    chat = await session.new_chat(f"fix: {state.goal}", agent, run_id=state.id)
    here = {"project": str(session.settings.project), "worktree_id": None, "chat_id": chat.id, "agency": agency}
    moved = state.model_copy(update=here)
    await session.store.runs.add(moved)
    return StartedRun(moved, agent, state.asked_model, resumed=True)


async def project_commands(session: Session, given: Sequence[str] = ()) -> tuple[ProjectCommand, ...]:
    """The user's commands, else those found in the project."""
    if given:
        return tuple(given_command(command) for command in given)
    return find_commands(*await read_manifests(session.project_tools(session.settings.project).files))


async def _goal_texts(session: Session, request: FixRequest) -> tuple[GoalText, ...]:
    """What the user gave, and the project files that the goal names, as a model may see them. Raises
    `ConfigurationError` for a file marked with `@` that can't be read."""
    given = {text.name: session.mask(text.text).text for text in request.texts}
    files = MaskedFiles(session.project_tools(session.settings.project).files, session.mask)
    for each in files_in_goal(request.goal):
        try:
            given.setdefault(each.path, "\n".join((await files.read_text(each.path)).lines))
        except CallRejected as error:
            if f"@{each.path}" in request.goal and (session.settings.project / each.path).is_dir():
                raise ConfigurationError(f"@{each.path} is a folder: name a file in it") from error
            if each.must_be_there:
                raise ConfigurationError(
                    f"@{each.path} can't be read: there is no such text file in the project. `--issue FILE` reads one "
                    "from elsewhere"
                ) from error
    found = [GoalText(name=name, text=both_ends(text, MAX_CHARS)) for name, text in given.items() if text.strip()]
    return tuple(found[:MAX_TEXTS])


async def _goal_images(session: Session, request: FixRequest) -> tuple[AttachmentInfo, ...]:
    """Images that the user attached, and images of the project that the goal names."""
    if not request.images and "@" not in request.goal:
        return ()
    return (*request.images, *await keep_named_images(session, request.goal))


async def _checked_choice(session: Session, agent: AgentSpec, model: str | None) -> Choice:
    """Raises `ConfigurationError` if a run with this model could not start."""
    await session.check(agent, model)
    return await session.models.choose(model or session.model_name(agent))


async def _agency(
    session: Session, agent: AgentSpec, model: str | None, choice: Choice, images: Sequence[AttachmentInfo]
) -> Agency:
    """Raises `ConfigurationError` if the model would not see the images of the goal."""
    agency = session.models.agency(choice)
    if images and agency == "guided":
        raise ConfigurationError(
            "a fix run with a guided model takes text only: leave the images out, or let it drive with --agency agent"
        )
    if images:
        await session.ready(agent, model, wait=False, images=images)
    return agency


def _coder(session: Session) -> AgentSpec:
    """A coder that can't ask: there is nobody to answer in the middle of a run."""
    agent = session.agent(CODER)
    return agent.model_copy(update={"tools": tuple(name for name in agent.tools if name != "ask_user")})
