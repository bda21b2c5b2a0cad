"""Pools agents, and picks the chat, work tree and agent of each delegated turn."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mulligan.app.delegated_turn import DelegatedTurn, TurnCallbacks
from mulligan.app.images import keep_named_images
from mulligan.app.session import Session
from mulligan.app.turns import title_of
from mulligan.backends.dispatcher import Dispatcher
from mulligan.backends.factory import make_backend
from mulligan.backends.pool import BackendPool, MakeBackend
from mulligan.core.external_commands import command_of
from mulligan.core.images import MAX_IMAGES
from mulligan.ports.backends import AgentBackend
from mulligan.ports.callbacks import Notify
from mulligan.types.agents import ExternalAgent
from mulligan.types.checkpoints import AgentSession, WorkTree
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import AttachmentInfo, Chat
from mulligan.types.sandbox import ExtraAccess
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
        self._make_backend = make or self._make
        self._pool = BackendPool(self._make_backend, log=session.log)
        self._taking_images: dict[tuple[str, str | None], bool] = {}
        """Whether they accept images, by agent and model, for those that were asked."""

    async def run(
        self,
        goal: str,
        agent_name: str | None,
        chat_id: str | None = None,
        *,
        model: str | None = None,
        callbacks: TurnCallbacks,
        images: Sequence[AttachmentInfo] = (),
    ) -> TurnEnd:
        """Let an agent work towards a goal, in a new chat or an existing one. Cancel it to abort.

        Without a name, uses the chat's own agent. Raises `ConfigurationError` before anything starts: for an unknown
        agent, one that is not installed or takes no images, a chat of another project, no git repository.
        """
        chat = await self._chat_of(chat_id) if chat_id else None
        agent = await self.check(agent_name or (chat.agent if chat else None), model, images)
        images = (*images, *await self._named_images(goal, agent, model, callbacks.tell))
        if chat is None:
            chat = await self.new_chat(goal, agent)
        with self._dispatcher.turn(chat.id, agent.name):
            return await self._take_turn(goal, chat, agent, model, callbacks, images=images)

    async def check(
        self, agent_name: str | None, model: str | None, images: Sequence[AttachmentInfo] = ()
    ) -> ExternalAgent:
        """The agent of that name. Raises `ConfigurationError` if its turn could not start here."""
        await open_repository(self._project)
        agent = self._agent(agent_name)
        _refuse_missing(agent, model)
        if len(images) > MAX_IMAGES:
            raise ConfigurationError(f"the message has {len(images)} images, and may have {MAX_IMAGES}")
        if images and not await self._takes_images(agent, model):
            raise ConfigurationError(f"{agent.name} does not take images, so nothing was sent: describe them in text")
        return agent

    async def _takes_images(self, agent: ExternalAgent, model: str | None) -> bool:
        """What the agent itself reports when it is started: once, in a folder where it finds nothing to do."""
        key = agent.name, model
        if key not in self._taking_images:
            backend, folder = self._make_backend(agent, model), self._session.worktrees().folder
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix="asked-") as empty:
                try:
                    self._taking_images[key] = await backend.takes_images(Path(empty))
                finally:
                    await backend.dispose()
        return self._taking_images[key]

    async def _named_images(
        self, goal: str, agent: ExternalAgent, model: str | None, tell: Notify
    ) -> tuple[AttachmentInfo, ...]:
        """The images that the goal names, for an agent that accepts images."""
        named = await keep_named_images(self._session, goal)
        if not named or await self._takes_images(agent, model):
            return named
        tell(f"{agent.name} does not take images: {', '.join(each.name for each in named)} is only named to it")
        return ()

    async def new_chat(self, goal: str, agent: ExternalAgent) -> Chat:
        project = str(self._project)
        return await self._session.store.chats.create(project=project, agent=agent.name, title=title_of(goal))

    async def drop_agent(self, chat_id: str) -> None:
        """End the chat's agent, if it is warm: what it remembers is outdated."""
        known = await self._session.store.sessions.list(chat_id=chat_id)
        await self._pool.let_go(chat_id, [each.backend_session for each in known if each.backend_session])

    async def close_idle(self) -> None:
        """End agents that were not used for a while."""
        await self._pool.close_idle()

    async def aclose(self) -> None:
        """Nothing that was started here keeps running."""
        await self._pool.dispose_all()

    def _make(self, agent: ExternalAgent, model: str | None) -> AgentBackend:
        folder = self._session.settings.home / "logs" / "agents"
        return make_backend(self._confined(agent), model, log=self._session.log, stderr_folder=folder)

    def _confined(self, agent: ExternalAgent) -> ExternalAgent:
        """A sandbox that lets it write to its work trees, its own folders and the repository. It has network access,
        since its model may be anywhere."""
        if agent.home_folders is None:
            return agent
        home = Path.home()
        access = ExtraAccess(
            network=True,
            git=True,
            write=(self._session.worktrees().folder, *(home / name for name in agent.home_folders)),
            read=(home / ".gitconfig", home / ".config" / "git"),
        )
        prefix = self._session.sandbox(self._project, writable=False).program_prefix(os.environ, access)
        return agent.model_copy(update={"command": (*prefix, *agent.command)})

    async def _take_turn(
        self,
        goal: str,
        chat: Chat,
        agent: ExternalAgent,
        model: str | None,
        callbacks: TurnCallbacks,
        *,
        images: Sequence[AttachmentInfo],
    ) -> TurnEnd:
        tree = await self._worktree(chat, agent, callbacks.tell)
        session = await self._agent_session(chat, agent, tree)
        async with self._pool.lease(chat.id, agent, model) as lease:
            folder = self._session.worktrees().folder_in(tree)
            turn = DelegatedTurn(self._session, callbacks, chat, agent, tree, folder, session, lease, goal, images)
            return await turn.run(model)

    async def _chat_of(self, prefix: str) -> Chat:
        chat = await self._session.store.chats.find(prefix)
        if chat.project != str(self._project):
            raise ConfigurationError(f"chat {chat.id} is about {chat.project}: continue there, with -C")
        return chat

    def _agent(self, name: str | None) -> ExternalAgent:
        known = ", ".join(self._agents)
        if name is None:
            raise ConfigurationError(f"name the agent with --agent; there are: {known}")
        if name not in self._agents:
            raise ConfigurationError(f"there is no external agent {name}; there are: {known}")
        return self._agents[name]

    async def _worktree(self, chat: Chat, agent: ExternalAgent, tell: Notify) -> WorkTree:
        """The chat's own, whichever agent worked there; a new one if it no longer exists."""
        trees = self._session.worktrees()
        used = [
            each.worktree_id for each in await self._session.store.sessions.list(chat_id=chat.id) if each.worktree_id
        ]
        if used:
            try:
                tree = await trees.reuse(used[-1])
            except WorkTreeUnusable as unusable:
                tell(f"{unusable}. The chat continues in a new one.")
            else:
                # A restore was killed halfway: nothing may start on a half-restored tree.
                await (await self._session.checkpoints(Path(tree.path))).recover(tell=tell)
                return tree
        made = await trees.make(agent.name)
        for apart in made.skipped:
            tell(f"not in the work tree: {apart.path}: {apart.reason}")
        return made.tree

    async def _agent_session(self, chat: Chat, agent: ExternalAgent, tree: WorkTree) -> AgentSession:
        """The open session. After a restore there is none, and the agent starts a new one."""
        own = [each for each in await self._session.store.sessions.list(chat_id=chat.id) if each.agent == agent.name]
        if own and own[-1].status == "open" and own[-1].worktree_id == tree.id:
            return own[-1]
        await self.drop_agent(chat.id)
        return await self._session.store.sessions.open(chat_id=chat.id, agent=agent.name, worktree_id=tree.id)


def _refuse_missing(agent: ExternalAgent, model: str | None) -> None:
    """Raises `ConfigurationError` for an agent that is not installed, or can't be given a model."""
    command = command_of(agent, model)
    path = command.env.get("PATH", os.environ.get("PATH"))
    if shutil.which(command.argv[0], path=path) is None:
        how = f" To install it: {agent.install}" if agent.install else ""
        raise ConfigurationError(
            f"the agent {agent.name} is not installed: there is no {command.argv[0]} on PATH.{how}"
        )
