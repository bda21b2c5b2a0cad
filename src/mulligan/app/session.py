"""The real objects behind the ports, built from settings. The only place that picks concrete classes."""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mulligan.app.agents.definitions import load_agents
from mulligan.app.configuration import FILE_NAME, Configuration
from mulligan.app.model_selection import DownloadDisplay, ModelSelector, Notify, ReadyModel
from mulligan.app.project_tools import Consent, ProjectTools, WriteTools, can_write
from mulligan.app.turns import run_suitable_turn
from mulligan.core.prompts import CONTINUE_PROMPT, system_prompt
from mulligan.core.secrets import Mask
from mulligan.core.step_budget import may_continue, step_limit
from mulligan.loop.plan import TurnPlan
from mulligan.ports.outlets import Emit, Log
from mulligan.runtime.log import JsonLog
from mulligan.store.store import SqlStore, open_store
from mulligan.types.agents import AgentSpec
from mulligan.types.changes import PendingChange
from mulligan.types.commands import CommandRules
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.frames import ChangeMade, CheckpointTaken, TurnEnd
from mulligan.types.messages import Chat, Message
from mulligan.types.sandbox import Openings
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.models.embedded.download_progress import Report
    from mulligan.workspace.changes.pending import PendingChanges
    from mulligan.workspace.checkpoints.service import Checkpoints
    from mulligan.workspace.sandbox import Sandbox
    from mulligan.workspace.worktrees import WorkTrees


def ignore_notice(_words: str) -> None:
    """Nobody listens."""


@contextmanager
def unwatched_download(_name: str) -> Generator["Report", None, None]:
    """A download that nobody watches."""
    yield lambda _progress: None


class Session:
    """What a command works with: settings, agents, the store, and turns to run."""

    def __init__(
        self,
        configuration: Configuration,
        store: SqlStore,
        log: Log,
        *,
        tell: Notify = ignore_notice,
        pulling: DownloadDisplay = unwatched_download,
    ) -> None:
        self.settings: Settings = configuration.settings
        self.store = store
        self.log = log
        self.agents = known_agents(configuration)
        self._agent_from_project = configuration.agent_from_project
        self.mask = Mask(os.environ, own_keys(self.settings))
        self.chosen_model = configuration.chosen_model
        """The person's own choice for this run; None leaves it to agent and settings."""
        self.models = ModelSelector(self.settings, tell=tell, pulling=pulling)
        self._tell = tell
        self._announced: set[str] = set()
        self._project_tools: dict[Path, ProjectTools] = {}
        """Made once a project: the schemas of its tools take some milliseconds."""

    def agent(self, name: str | None = None) -> AgentSpec:
        """The agent of that name, or the configured one."""
        wanted = name or self.settings.agent
        if wanted not in self.agents:
            raise ConfigurationError(f"there is no agent {wanted}; there are: {', '.join(self.agents)}")
        agent = self.agents[wanted]
        if not name and self._agent_from_project and can_write(agent):
            raise ConfigurationError(
                f"the project's {FILE_NAME} makes {wanted} the agent, which changes files: a project may not choose "
                f"that for you. Say --agent {wanted} if you want it"
            )
        return agent

    def model_name(self, agent: AgentSpec) -> str | None:
        """Which model answers; None means that it is for us to find one."""
        return self.chosen_model or agent.model or self.settings.model

    async def ready(self, agent: AgentSpec, model: str | None = None) -> ReadyModel:
        """The model that answers for this agent. Raises before anything is stored if the agent can't answer."""
        self.project_tools(self.settings.project).check(agent)
        return await self.models.ready(model or self.model_name(agent))

    async def check(self, agent: AgentSpec, model: str | None = None) -> None:
        """Raises `ConfigurationError` where a turn of this agent could not begin. Nothing is downloaded or started."""
        self.project_tools(self.settings.project).check(agent)
        await self.models.check(model or self.model_name(agent))

    async def new_chat(self, prompt: str, agent: AgentSpec, *, run_id: str | None = None) -> Chat:
        """For a person, or for the coder of a fix run."""
        project, title = str(self.settings.project), title_of(prompt)
        return await self.store.create_chat(project=project, agent=agent.name, title=title, run_id=run_id)

    async def answer(
        self,
        chat: Chat,
        prompt: str,
        agent: AgentSpec,
        emit: Emit,
        consent: Consent | None = None,
        *,
        model: str | None = None,
    ) -> TurnEnd:
        """Run a turn for the person's message. Cancel it to abort. Without consent, changes are staged and wait.

        A model that is named answers this one message, whatever agent and settings say.
        """
        return await self._run(chat, prompt, agent, emit, consent or Consent(), model=model, continues=False)

    async def continue_turn(
        self,
        chat: Chat,
        agent: AgentSpec,
        emit: Emit,
        consent: Consent | None = None,
        *,
        model: str | None = None,
    ) -> TurnEnd:
        """Continue a turn that a guard stopped, with a fresh budget."""
        refused = may_continue(await self.store.messages(chat.id))
        if refused:
            raise ConfigurationError(refused.reason)
        return await self._run(chat, CONTINUE_PROMPT, agent, emit, consent or Consent(), model=model, continues=True)

    async def compact(self, chat: Chat, agent: AgentSpec, emit: Emit) -> Message | None:
        """Sum up the chat so far, to make room. None if nothing would be gained."""
        from mulligan.loop.compact import compact_chat

        answering = await self.ready(agent)
        plan = self.plan(chat, agent, answering, self.project_tools(Path(chat.project)))
        return await compact_chat(plan, store=self.store, emit=emit, log=self.log)

    def pending(self, project: Path) -> "PendingChanges":
        """Changes to the project's files that wait for a yes."""
        from mulligan.workspace.changes.pending import PendingChanges

        return PendingChanges(project, self.store, project=str(project))

    async def close(self) -> None:
        for bench in self._project_tools.values():
            bench.close()
        await self.models.close()

    async def _run(
        self,
        chat: Chat,
        prompt: str,
        agent: AgentSpec,
        emit: Emit,
        consent: Consent,
        *,
        model: str | None,
        continues: bool,
    ) -> TurnEnd:
        answering = await self.ready(agent, model)
        project = Path(chat.project)
        bench = self.project_tools(project)
        plan = self.plan(chat, agent, answering, bench)
        write_tools: WriteTools | None = None
        if can_write(agent):
            write_tools = bench.write_tools(agent, chat_id=chat.id, consent=consent, on_change=change_emitter(emit))
            plan = self._with_write_tools(plan, write_tools, project, prompt, emit)
        return await run_suitable_turn(
            plan,
            prompt,
            answering,
            files=bench.files,
            write_tools=write_tools,
            store=self.store,
            emit=emit,
            log=self.log,
            continues=continues,
            notify=self._announce_once,
        )

    async def checkpoints(self, folder: Path) -> "Checkpoints":
        """Those of the work tree around a folder. Raises `NoRepository` or `GitMissing`."""
        from mulligan.store.ids import new_id
        from mulligan.workspace.checkpoints.service import open_checkpoints

        return await open_checkpoints(folder, self.store, new_id=new_id)

    def worktrees(self) -> "WorkTrees":
        """The work trees in which agents of this project work directly."""
        from mulligan.workspace.worktrees import WorkTrees

        return WorkTrees(self.settings.project, self.store, home=self.settings.home)

    def _with_write_tools(
        self, plan: TurnPlan, write_tools: WriteTools, project: Path, prompt: str, emit: Emit
    ) -> TurnPlan:
        async def prepare(message_id: str) -> None:
            write_tools.editing.message_id = message_id
            taken = await self.checkpoint(
                project,
                label=title_of(prompt),
                chat_id=plan.chat_id,
                message_id=message_id,
                session_id=await self._agent_session(plan.chat_id, plan.agent),
            )
            emit(taken)
            await self._rely_on(taken, write_tools.sandbox, project)
            await self.tell_sandbox(write_tools.sandbox)

        return replace(
            plan, tools=write_tools.tools, files=write_tools.files, prepare=prepare, waiting=write_tools.editing.waiting
        )

    async def _rely_on(self, taken: CheckpointTaken, sandbox: "Sandbox", project: Path) -> None:
        """What a checkpoint undoes needs no yes. What it does not cover can't be changed without one."""
        from mulligan.workspace.sandbox.uncovered import find_uncovered

        if taken.checkpoint_id:
            uncovered = await find_uncovered(project, (each.partition(": ")[0] for each in taken.not_covered))
            if uncovered is not None:
                sandbox.undone_by_checkpoint(uncovered)

    async def tell_sandbox(self, sandbox: "Sandbox") -> None:
        """Say it where commands are not confined, or less than they could be."""
        status = await sandbox.status()
        if status.way == "none":
            self._announce_once(
                f"no sandbox: commands run with your rights, and each needs your yes ({status.missing})"
            )

    def sandbox(self, folder: Path, *, undoable: bool = False, writable: bool = True) -> "Sandbox":
        """Where commands in a folder of this project run."""
        from mulligan.workspace.sandbox import Sandbox
        from mulligan.workspace.sandbox.grants import read_grants

        settings = self.settings
        opened = Openings(network=settings.network, write=settings.sandbox_write, read=settings.sandbox_read)
        return Sandbox(
            settings.sandbox,
            folder,
            home=settings.home,
            opened=opened,
            granted=partial(read_grants, settings.home, settings.project),
            mode=settings.approvals,
            undoable=undoable,
            writable=writable,
            passed=settings.pass_environment,
        )

    async def _agent_session(self, chat_id: str, agent: str) -> str:
        """A native agent's turns in a chat are a session too: it is what a restore marks as crashed."""
        own = [each for each in await self.store.sessions(chat_id=chat_id) if each.agent == agent]
        if own and own[-1].status == "open":
            return own[-1].id
        return (await self.store.open_session(chat_id=chat_id, agent=agent, worktree_id=None)).id

    async def checkpoint(
        self,
        folder: Path,
        *,
        label: str,
        chat_id: str,
        message_id: str,
        session_id: str | None = None,
        worktree_id: str | None = None,
    ) -> CheckpointTaken:
        """Keep the files before a turn that may change them. Best effort: without it the turn goes on."""
        try:
            made = await (await self.checkpoints(folder)).create(
                label=label,
                kind="turn",
                chat_id=chat_id,
                session_id=session_id,
                worktree_id=worktree_id,
                message_id=message_id,
            )
        except MulliganError as error:
            self.log("checkpoint_failed", chat=chat_id, message=message_id, error=error)
            return CheckpointTaken(message_id=message_id, problem=str(error))
        return CheckpointTaken(
            message_id=message_id,
            checkpoint_id=made.checkpoint.id,
            not_covered=tuple(f"{apart.path}: {apart.reason}" for apart in made.snapshot.not_covered),
            pruned=made.pruned,
        )

    def plan(self, chat: Chat, agent: AgentSpec, answering: ReadyModel, bench: ProjectTools) -> TurnPlan:
        """What a turn is run with; an agent that writes gets its tools when its turn begins."""
        return TurnPlan(
            chat_id=chat.id,
            agent=agent.name,
            system=system_prompt(agent, Path(chat.project).name),
            model=answering.model,
            tools=() if can_write(agent) else bench.read_tools(agent),
            step_limit=step_limit(agent.steps, self.settings.steps),
            budget=answering.budget,
            files=bench.files,
            mask=self.mask,
            index=bench.index,
            reads_per_second=lambda: answering.profile.reads_per_second,
            temperature=self.settings.temperature,
            max_tokens=self.settings.max_tokens,
        )

    def project_tools(self, project: Path, *, cache: Path | None = None) -> ProjectTools:
        """The tools of a project, and what is known of its code, kept in the cache folder."""
        if project not in self._project_tools:
            rules = CommandRules(allow=self.settings.allow_commands, deny=self.settings.deny_commands)
            folder = cache or self.settings.home / "index"
            self._project_tools[project] = ProjectTools(
                project,
                self.store,
                rules,
                cache=folder,
                sandbox=self.sandbox,
            )
        return self._project_tools[project]

    def _announce_once(self, words: str) -> None:
        if words not in self._announced:
            self._announced.add(words)
            self._tell(words)


@asynccontextmanager
async def open_session(
    configuration: Configuration, *, tell: Notify = ignore_notice, pulling: DownloadDisplay = unwatched_download
) -> AsyncGenerator[Session, None]:
    """Open the store, finish what dead processes left behind, and close everything afterwards."""
    async with open_sessions([(configuration, tell, pulling)]) as sessions:
        yield sessions[0]


@asynccontextmanager
async def open_sessions(
    wanted: Sequence[tuple[Configuration, Notify, DownloadDisplay]],
) -> AsyncGenerator[tuple[Session, ...], None]:
    """Houses of several projects over one store, that of the first."""
    settings = wanted[0][0].settings
    log = JsonLog(log_file(settings))
    url = settings.database_url.get_secret_value() if settings.database_url else None
    store = await open_store(url or settings.home / "mulligan.db")
    sessions: list[Session] = []
    try:
        await store.sweep()
        for configuration, tell, pulling in wanted:
            sessions.append(Session(configuration, store, log, tell=tell, pulling=pulling))
            await _settle(sessions[-1], tell)
        yield tuple(sessions)
    finally:
        for session in sessions:
            await session.close()
        await store.close()


async def _settle(session: Session, tell: Notify) -> None:
    """Finish what killed processes were writing into the project."""
    project = session.settings.project
    if await session.store.left_writes(str(project)):
        for outcome in await session.pending(project).recover():
            tell(outcome.message)
    for folder in (project, *project.parents):
        if await session.store.left_restores(str(folder)):
            await (await session.checkpoints(folder)).recover(tell=tell)


def known_agents(configuration: Configuration) -> dict[str, AgentSpec]:
    settings = configuration.settings
    mine = load_agents((settings.home / "agents",), {}, settings.project / FILE_NAME)
    folders = (settings.home / "agents", settings.project / ".mulligan" / "agents")
    known = load_agents(folders, configuration.agents, settings.project / FILE_NAME)
    for name, agent in known.items():
        if can_write(agent) and name in mine and not can_write(mine[name]):
            raise ConfigurationError(
                f"the project's agent {name} ({agent.source}) changes files, and the one that it replaces only reads: "
                "give it another name"
            )
    return known


def own_keys(settings: Settings) -> list[str]:
    """Mulligan's own secrets, in whatever file they were set."""
    key, url = settings.api_key, settings.database_url
    password = urlsplit(url.get_secret_value()).password if url else None
    return [each for each in (key.get_secret_value() if key else None, password) if each]


def log_file(settings: Settings) -> Path:
    return settings.home / "logs" / "mulligan.log"


def change_emitter(emit: Emit) -> Callable[[PendingChange], None]:
    """Whoever watches a turn sees each change as it is made."""

    def tell(change: PendingChange) -> None:
        from mulligan.workspace.changes.change_text import line_changes, shown_path

        added, removed = line_changes(change) or (0, 0)
        emit(
            ChangeMade(
                change_id=change.id,
                path=shown_path(change),
                kind=change.kind,
                status=change.status,
                added=added,
                removed=removed,
            )
        )

    return tell


def title_of(prompt: str) -> str:
    """Its first line, not too long."""
    line = prompt.strip().split("\n", 1)[0]
    return line if len(line) <= 60 else line[:59] + "…"
