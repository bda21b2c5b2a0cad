"""Delegated turns put together: the chat's work tree, a warm agent, a checkpoint before it, its changes after it."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from mulligan.app.delegated_turn import DelegatedTurn, Outlets
from mulligan.app.ready_models import Notify
from mulligan.app.session import Session
from mulligan.app.turns import title_of
from mulligan.backends.dispatcher import Dispatcher
from mulligan.backends.factory import make_backend
from mulligan.backends.pool import BackendPool, MakeBackend
from mulligan.core.external_commands import command_of
from mulligan.ports.backends import AgentBackend
from mulligan.types.agents import ExternalAgent
from mulligan.types.checkpoints import AgentSession, WorkTree
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat
from mulligan.types.sandbox import Openings
from mulligan.workspace.git import open_repository
from mulligan.workspace.worktrees import WorkTreeUnusable


class Delegations:
    """Runs turns of external agents in this project. Agents stay warm between turns, until it is closed."""

    def __init__(
        self, session: Session, agents: Mapping[str, ExternalAgent], *, make: MakeBackend | None = None
    ) -> None:
        self._session = session
        self._agents = agents
        self._project = session.settings.project
        self._dispatcher = Dispatcher()
        self._pool = BackendPool(make or self._make, log=session.log)

    async def run(
        self,
        goal: str,
        agent_name: str | None,
        chat_id: str | None = None,
        *,
        model: str | None = None,
        outlets: Outlets,
    ) -> TurnEnd:
        """Have an agent work towards a goal, in a new chat or in one that goes on. Cancel it to abort.

        Without a name, the chat's own agent does it. Raises `ConfigurationError` before anything is begun: for an
        unknown agent, one that is not installed, a chat of another project, no git repository.
        """
        chat = await self._chat_of(chat_id) if chat_id else None
        agent = await self.check(agent_name or (chat.agent if chat else None), model)
        if chat is None:
            chat = await self.new_chat(goal, agent)
        with self._dispatcher.turn(chat.id, agent.name):
            return await self._take_turn(goal, chat, agent, model, outlets)

    async def check(self, agent_name: str | None, model: str | None) -> ExternalAgent:
        """The agent of that name. Raises `ConfigurationError` where a turn of it could not begin here."""
        await open_repository(self._project)
        agent = self._agent(agent_name)
        _refuse_missing(agent, model)
        return agent

    async def new_chat(self, goal: str, agent: ExternalAgent) -> Chat:
        project = str(self._project)
        return await self._session.store.chats.create(project=project, agent=agent.name, title=title_of(goal))

    async def drop_agent(self, chat_id: str) -> None:
        """End the chat's agent, if it is warm: what it remembers is no longer so."""
        known = await self._session.store.sessions.list(chat_id=chat_id)
        await self._pool.let_go(chat_id, [each.backend_session for each in known if each.backend_session])

    async def close_idle(self) -> None:
        """End agents that nobody has asked anything for a while."""
        await self._pool.close_idle()

    async def aclose(self) -> None:
        """Nothing that was started here runs afterwards."""
        await self._pool.dispose_all()

    def _make(self, agent: ExternalAgent, model: str | None) -> AgentBackend:
        folder = self._session.settings.home / "logs" / "agents"
        return make_backend(self._confined(agent), model, log=self._session.log, stderr_folder=folder)

    def _confined(self, agent: ExternalAgent) -> ExternalAgent:
        """In a sandbox from which it can write to its work trees, its own folders and the repository. It has the
        network, since its model may be anywhere."""
        if agent.home_folders is None:
            return agent
        home = Path.home()
        openings = Openings(
            network=True,
            git=True,
            write=(self._session.worktrees().folder, *(home / name for name in agent.home_folders)),
            read=(home / ".gitconfig", home / ".config" / "git"),
        )
        prefix = self._session.sandbox(self._project, writable=False).program_prefix(os.environ, openings)
        return agent.model_copy(update={"command": (*prefix, *agent.command)})

    async def _take_turn(
        self, goal: str, chat: Chat, agent: ExternalAgent, model: str | None, outlets: Outlets
    ) -> TurnEnd:
        tree = await self._worktree(chat, agent, outlets.tell)
        session = await self._agent_session(chat, agent, tree)
        async with self._pool.lease(chat.id, agent, model) as lease:
            folder = self._session.worktrees().folder_in(tree)
            turn = DelegatedTurn(self._session, outlets, chat, agent, tree, folder, session, lease, goal)
            return await turn.run(model)

    async def _chat_of(self, prefix: str) -> Chat:
        chat = await self._session.store.chats.find(prefix)
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

    async def _worktree(self, chat: Chat, agent: ExternalAgent, tell: Notify) -> WorkTree:
        """The chat's own, whichever agent worked there; a new one where there is none any more."""
        trees = self._session.worktrees()
        used = [
            each.worktree_id for each in await self._session.store.sessions.list(chat_id=chat.id) if each.worktree_id
        ]
        if used:
            try:
                tree = await trees.reuse(used[-1])
            except WorkTreeUnusable as unusable:
                tell(f"{unusable}. The chat goes on in a new one.")
            else:
                # A restore that was killed in the middle: nothing may be begun on half of it.
                await (await self._session.checkpoints(Path(tree.path))).recover(tell=tell)
                return tree
        made = await trees.make(agent.name)
        for apart in made.skipped:
            tell(f"not in the work tree: {apart.path}: {apart.reason}")
        return made.tree

    async def _agent_session(self, chat: Chat, agent: ExternalAgent, tree: WorkTree) -> AgentSession:
        """The one that is open. After a restore there is none, and the agent starts afresh."""
        own = [each for each in await self._session.store.sessions.list(chat_id=chat.id) if each.agent == agent.name]
        if own and own[-1].status == "open" and own[-1].worktree_id == tree.id:
            return own[-1]
        await self.drop_agent(chat.id)
        return await self._session.store.sessions.open(chat_id=chat.id, agent=agent.name, worktree_id=tree.id)


def _refuse_missing(agent: ExternalAgent, model: str | None) -> None:
    """Raises `ConfigurationError` for an agent that is not installed, or can't be told its model."""
    command = command_of(agent, model)
    path = command.env.get("PATH", os.environ.get("PATH"))
    if shutil.which(command.argv[0], path=path) is None:
        how = f" To get it: {agent.install}" if agent.install else ""
        raise ConfigurationError(f"the agent {agent.name} is not here: there is no {command.argv[0]} on PATH.{how}")
