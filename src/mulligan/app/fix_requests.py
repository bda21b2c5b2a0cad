"""The beginning of a fix run: what could not work is refused, then it is stored, held by this process."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.app.project_manifests import read_manifests
from mulligan.app.session import Session
from mulligan.core.fix_runs.goal_files import MOST_CHARS, MOST_TEXTS, files_in_goal
from mulligan.core.fix_runs.prompt_parts import both_ends
from mulligan.core.project_commands import find_commands, given_command
from mulligan.store.ids import new_id
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.fixing import GoalText, ProfileName, ProjectCommand, RunState
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.git import open_repository

CODER = "coder"
VERIFY_SECONDS = 300.0
"""For one command that judges a run, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """What a person asks of a new run."""

    goal: str
    profile: ProfileName
    verify: tuple[str, ...]
    """Commands that judge it; found in the project if none is given."""
    time_limit: float = VERIFY_SECONDS
    """Seconds for one of them."""
    model: str | None = None
    """Overrules agent and settings."""
    texts: tuple[GoalText, ...] = ()
    """That the person gave beside the goal."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that is stored, and nobody else works on. Whoever has it carries it out, or releases it."""

    state: RunState
    agent: AgentSpec
    model: str | None
    """That was named for it."""
    resumed: bool


async def start_run(session: Session, request: FixRequest) -> StartedRun:
    """Raises `NoRepository` or `ConfigurationError` before anything is stored. No model is downloaded or asked."""
    project = session.settings.project
    if not request.goal.strip():
        raise ConfigurationError("there is no goal: say what to reach, such as `make the tests pass`")
    if any(not command.strip() or "\0" in command for command in request.verify):
        raise ConfigurationError("a command that judges the run is none: name one, such as `python -m pytest -q`")
    await open_repository(project)
    agent = _coder(session)
    await session.check(agent, request.model)
    choice = await session.models.choose(request.model or session.model_name(agent))
    commands = await project_commands(session, request.verify)
    texts = await _goal_texts(session, request)
    run_id = new_id()
    state = RunState(
        id=run_id,
        project=str(project),
        goal=request.goal,
        goal_texts=texts,
        profile=request.profile,
        agency=session.models.agency(choice),
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
    """Go on with a run that was interrupted. Raises `ConfigurationError` if it has ended or is being worked on."""
    kept = await session.store.runs.find(str(session.settings.project), run)
    if kept.state.ended_at is not None:
        raise ConfigurationError(
            f"run {kept.state.id} has ended ({kept.state.verdict}): `mulligan runs show {kept.state.id}` shows it"
        )
    agent = _coder(session)
    model = session.chosen_model or kept.state.asked_model
    await session.check(agent, model)
    state = await session.store.runs.claim(kept.state.id)
    return StartedRun(state, agent, model, resumed=True)


async def move_run(session: Session, state: RunState) -> StartedRun:
    """Go on, in this project, with a run that was begun on another machine. Its work tree is made anew."""
    agent = _coder(session)
    await session.check(agent, state.asked_model)
    chat = await session.new_chat(f"fix: {state.goal}", agent, run_id=state.id)
    here = {"project": str(session.settings.project), "worktree_id": None, "chat_id": chat.id}
    moved = state.model_copy(update=here)
    await session.store.runs.add(moved)
    return StartedRun(moved, agent, state.asked_model, resumed=True)


async def project_commands(session: Session, given: Sequence[str] = ()) -> tuple[ProjectCommand, ...]:
    """Those that the person gave, else those that the project names."""
    if given:
        return tuple(given_command(command) for command in given)
    return find_commands(*await read_manifests(session.project_tools(session.settings.project).files))


async def _goal_texts(session: Session, request: FixRequest) -> tuple[GoalText, ...]:
    """What the person gave, and the files of the project that the goal names, as a model may see them. Raises
    `ConfigurationError` for one that is marked by `@` and can't be read."""
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
    found = [GoalText(name=name, text=both_ends(text, MOST_CHARS)) for name, text in given.items() if text.strip()]
    return tuple(found[:MOST_TEXTS])


def _coder(session: Session) -> AgentSpec:
    """The coder that can't ask: nobody is there to answer in the middle of a run."""
    agent = session.agent(CODER)
    return agent.model_copy(update={"tools": tuple(name for name in agent.tools if name != "ask_user")})
