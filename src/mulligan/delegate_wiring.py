"""Delegated turns put together: the chat's work tree, a warm agent, a checkpoint before it, its changes after it."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from mulligan.backends.dispatcher import Dispatcher
from mulligan.backends.making import make_backend
from mulligan.backends.pool import BackendPool, Lease, MakeBackend
from mulligan.core.agent_permissions import judge_request
from mulligan.core.external_commands import command_of
from mulligan.loop.delegated import Aftermath, AgentsModel, run_delegated_turn
from mulligan.loop.plan import TurnPlan
from mulligan.model_choice import Tell
from mulligan.ports.backends import AgentBackend
from mulligan.ports.commands import Approve
from mulligan.ports.outlets import Emit
from mulligan.types.backends import AgentEvent, ExternalAgent, PermissionRequest
from mulligan.types.changes import PendingChange
from mulligan.types.checkpoints import AgentSession, WorkTree
from mulligan.types.commands import CommandRules, Verdict
from mulligan.types.errors import CallRejected, ConfigurationError, MulliganError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat
from mulligan.wiring import House, telling, title_of
from mulligan.workspace.checkout_look import CheckoutLook, differences, look_at
from mulligan.workspace.confined import present_image
from mulligan.workspace.git import open_repository
from mulligan.workspace.worktrees import BroughtBack, WorkTreeUnusable, bring_back

NAMED = 10
"""How many files of a long list are named."""


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where a delegated turn is shown, and who is asked."""

    emit: Emit
    tell: Tell
    approve: Approve
    """For what the policy leaves to the person."""


class Delegations:
    """Runs turns of external agents in this project. Agents stay warm between turns, until it is closed."""

    def __init__(
        self, house: House, agents: Mapping[str, ExternalAgent], outlets: Outlets, *, make: MakeBackend | None = None
    ) -> None:
        self._house = house
        self._agents = agents
        self._outlets = outlets
        self._project = house.settings.project
        self._dispatcher = Dispatcher()
        self._pool = BackendPool(make or self._make, log=house.log)

    async def run(
        self, goal: str, agent_name: str | None, chat_id: str | None = None, *, model: str | None = None
    ) -> TurnEnd:
        """Have an agent work towards a goal, in a new chat or in one that goes on. Cancel it to abort.

        Without a name, the chat's own agent does it. Raises `ConfigurationError` before anything is begun: for an
        unknown agent, one that is not installed, a chat of another project, no git repository.
        """
        await open_repository(self._project)
        chat = await self._chat_of(chat_id) if chat_id else None
        agent = self._agent(agent_name or (chat.agent if chat else None))
        _refuse_missing(agent, model)
        if chat is None:
            project = str(self._project)
            chat = await self._house.store.create_chat(project=project, agent=agent.name, title=title_of(goal))
        with self._dispatcher.turn(chat.id, agent.name):
            return await self._take_turn(goal, chat, agent, model)

    async def aclose(self) -> None:
        """Nothing that was started here runs afterwards."""
        await self._pool.dispose_all()

    def _make(self, agent: ExternalAgent, model: str | None) -> AgentBackend:
        folder = self._house.settings.home / "logs" / "agents"
        return make_backend(agent, model, log=self._house.log, stderr_folder=folder)

    async def _take_turn(self, goal: str, chat: Chat, agent: ExternalAgent, model: str | None) -> TurnEnd:
        tree = await self._tree(chat, agent)
        session = await self._session(chat, agent, tree)
        async with self._pool.lease(chat.id, agent, model) as lease:
            folder = self._house.worktrees().folder_in(tree)
            turn = _DelegatedTurn(self._house, self._outlets, chat, agent, tree, folder, session, lease, goal)
            return await turn.run(model)

    async def _chat_of(self, prefix: str) -> Chat:
        chat = await self._house.store.find_chat(prefix)
        if chat.project != str(self._project):
            raise ConfigurationError(f"chat {chat.id} is about {chat.project}: go on there, with -C")
        return chat

    def _agent(self, name: str | None) -> ExternalAgent:
        known = ", ".join(self._agents)
        if name is None:
            raise ConfigurationError(f"name the agent with --agent; there are: {known}")
        if name not in self._agents:
            raise ConfigurationError(f"there is no external agent {name}; there are: {known}")
        return self._agents[name]

    async def _tree(self, chat: Chat, agent: ExternalAgent) -> WorkTree:
        """The chat's own, whichever agent worked there; a new one where there is none any more."""
        trees = self._house.worktrees()
        used = [each.worktree_id for each in await self._house.store.sessions(chat_id=chat.id) if each.worktree_id]
        if used:
            try:
                tree = await trees.reuse(used[-1])
            except WorkTreeUnusable as unusable:
                self._outlets.tell(f"{unusable}. The chat goes on in a new one.")
            else:
                # A restore that was killed in the middle: nothing may be begun on half of it.
                await (await self._house.checkpoints(Path(tree.path))).recover(tell=self._outlets.tell)
                return tree
        made = await trees.make(agent.name)
        for apart in made.apart:
            self._outlets.tell(f"not in the work tree: {apart.path}: {apart.reason}")
        return made.tree

    async def _session(self, chat: Chat, agent: ExternalAgent, tree: WorkTree) -> AgentSession:
        """The one that is open. After a restore there is none, and the agent starts afresh."""
        own = [each for each in await self._house.store.sessions(chat_id=chat.id) if each.agent == agent.name]
        if own and own[-1].status == "open" and own[-1].worktree_id == tree.id:
            return own[-1]
        await self._pool.let_go(chat.id)
        return await self._house.store.open_session(chat_id=chat.id, agent=agent.name, worktree_id=tree.id)


@dataclass(slots=True)
class _DelegatedTurn:
    """One turn: what is done before, while and after the agent works."""

    house: House
    outlets: Outlets
    chat: Chat
    agent: ExternalAgent
    tree: WorkTree
    folder: Path
    """What the project is in the work tree."""
    session: AgentSession
    lease: Lease
    goal: str
    message_id: str = field(default="", init=False)
    checkout: CheckoutLook | None = field(default=None, init=False)
    """As it stood before."""

    async def run(self, model: str | None) -> TurnEnd:
        name = self.agent.name
        if self.lease.crashed:
            self.outlets.tell(f"{name} had ended since its last turn, and starts again: {self.lease.crashed}")
        plan = TurnPlan(
            chat_id=self.chat.id,
            agent=name,
            system="",
            model=AgentsModel(model or name),
            tools=(),
            step_limit=0,
            prepare=self._prepare,
            waiting=self._waiting,
        )
        return await run_delegated_turn(
            plan,
            self.goal,
            self._events,
            store=self.house.store,
            emit=self.outlets.emit,
            log=self.house.log,
            afterwards=self._afterwards,
        )

    async def _prepare(self, message_id: str) -> None:
        self.message_id = message_id
        await self.lease.backend.sweep()  # what runs on would write while the checkpoint is taken
        self.checkout = await self._look()
        self.outlets.emit(
            await self.house.checkpoint(
                Path(self.tree.path),
                label=title_of(self.goal),
                chat_id=self.chat.id,
                message_id=message_id,
                session_id=self.session.id,
                worktree_id=self.tree.id,
            )
        )

    async def _events(self) -> AsyncGenerator[AgentEvent, None]:
        session = await self.lease.backend.ensure_session(self.folder, self.session.backend_session)
        await self._keep(session)
        try:
            async with aclosing(self.lease.backend.prompt(session, self.goal, self._permit)) as events:
                async for event in events:
                    yield event
        finally:
            await self._keep(self.lease.backend.session_of(session))

    async def _keep(self, backend_session: str) -> None:
        if backend_session != self.session.backend_session:
            await self.house.store.set_backend_session(self.session.id, backend_session)
            self.session = replace(self.session, backend_session=backend_session)

    async def _permit(self, request: PermissionRequest) -> bool:
        settings = self.house.settings
        rules = CommandRules(allow=settings.allow_commands, deny=settings.deny_commands)
        verdict = await asyncio.to_thread(_judged, request, self.folder, rules)
        granted = verdict.decision == "allow"
        shown = request.command or " ".join([request.title, *request.paths])
        if verdict.decision == "ask":
            granted = await self.outlets.approve(shown, verdict)
        self.house.log("agent_asked", chat=self.chat.id, asked=shown, verdict=verdict.decision, granted=granted)
        if not granted:
            self.outlets.tell(f"denied: {shown}: {verdict.reason}")
        return granted

    async def _afterwards(self) -> Aftermath:
        """What the agent left, and where. Nothing in here may break the turn: the work is in the work tree anyway."""
        outside: tuple[str, ...] = ()
        try:
            await self.lease.backend.sweep()
            outside = self._outside(await self._look())
            brought = await bring_back(
                self.tree,
                self.house.store,
                project=self.chat.project,
                chat_id=self.chat.id,
                message_id=self.message_id,
                leaves_behind=self.agent.leaves_behind,
            )
        except MulliganError as error:
            self.house.log("bring_back_failed", chat=self.chat.id, tree=self.tree.path, error=error)
            words = f"What the agent made was not brought back: {error}. It is in {self.tree.path}."
            return Aftermath(changed=True, notes=(words,), checkout=self.tree.project, outside=outside)
        needed = [change for change in brought.changes if await self._is_needed(change)]
        for change in needed:
            telling(self.outlets.emit)(change)
        return Aftermath(
            changed=bool(brought.changes),
            notes=_left_out(brought, self.agent.name),
            checkout=self.tree.project,
            outside=outside,
        )

    async def _is_needed(self, change: PendingChange) -> bool:
        """Not where the checkout has it already: after a restore, what was never applied need not be taken back."""
        try:
            present = await asyncio.to_thread(present_image, Path(change.project), change.path)
        except CallRejected:
            return True
        if present != change.after:
            return True
        return not await self.house.store.set_change_status(change.id, "rejected", expected="pending")

    async def _look(self) -> CheckoutLook | None:
        try:
            return await look_at(Path(self.tree.project))
        except MulliganError as error:
            self.house.log("checkout_not_seen", checkout=self.tree.project, error=error)
            return None

    def _outside(self, now: CheckoutLook | None) -> tuple[str, ...]:
        found = differences(self.checkout, now) if self.checkout and now else ()
        if found:
            self.house.log("written_outside", chat=self.chat.id, checkout=self.tree.project, paths=found)
        return found

    async def _waiting(self) -> int:
        changes = await self.house.store.changes(self.chat.project, statuses=("pending",), chat_id=self.chat.id)
        return len(changes)


def _refuse_missing(agent: ExternalAgent, model: str | None) -> None:
    """Raises `ConfigurationError` for an agent that is not installed, or can't be told its model."""
    command = command_of(agent, model)
    path = command.env.get("PATH", os.environ.get("PATH"))
    if shutil.which(command.argv[0], path=path) is None:
        how = f" To get it: {agent.install}" if agent.install else ""
        raise ConfigurationError(f"the agent {agent.name} is not here: there is no {command.argv[0]} on PATH.{how}")


def _judged(request: PermissionRequest, folder: Path, rules: CommandRules) -> Verdict:
    """With paths as the disk has them: a link in the work tree may lead out of it."""
    paths = tuple(os.path.realpath(folder / path) for path in request.paths)
    return judge_request(replace(request, paths=paths), folder=os.path.realpath(folder), rules=rules)


def _left_out(brought: BroughtBack, agent: str) -> tuple[str, ...]:
    notes: list[str] = []
    if brought.apart:
        told = _some([f"{apart.path} ({apart.reason})" for apart in brought.apart])
        notes.append(f"Not brought back, and only in the work tree: {told}.")
    if brought.left_behind:
        notes.append(f"Left in the work tree, since {agent} keeps it for itself: {_some(brought.left_behind)}.")
    return tuple(notes)


def _some(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
