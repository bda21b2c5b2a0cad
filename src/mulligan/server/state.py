"""What the routes use: the served projects, the running work, and the frame hub."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mulligan.app.agents.external import load_external_agents
from mulligan.app.configuration import Configuration
from mulligan.app.delegation import Delegations
from mulligan.app.open_session import open_sessions
from mulligan.app.ready_models import Downloads
from mulligan.app.session import Session
from mulligan.ports.callbacks import Notify
from mulligan.server.approvals import ApprovalQueue
from mulligan.server.frames.envelopes import Notice
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.server.live_work import LiveWork, current_scope
from mulligan.server.model_pulls import ModelPulls, pull_display
from mulligan.server.served_fleet import ServedFleet
from mulligan.server.views.agents import InstalledVersions
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat


class NotFound(ConfigurationError):
    """There is no such thing here: 404."""


@dataclass(frozen=True, slots=True)
class ServedProject:
    """A folder that is served."""

    id: str
    session: Session
    external: Mapping[str, ExternalAgent]
    delegations: Delegations
    versions: InstalledVersions

    @property
    def path(self) -> Path:
        return self.session.settings.project

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)


@dataclass(frozen=True, slots=True)
class ServerState:
    hub: FrameHub
    approvals: ApprovalQueue
    work: LiveWork
    pulls: ModelPulls
    projects: Mapping[str, ServedProject]
    """Projects by id, in the order they were named."""
    fleet: ServedFleet

    def project(self, project_id: str) -> ServedProject:
        if project_id not in self.projects:
            raise NotFound(f"there is no project {project_id} here")
        return self.projects[project_id]

    async def chat(self, chat_id: str) -> tuple[ServedProject, Chat]:
        """A chat of a served project, by its full id."""
        first = next(iter(self.projects.values()))
        try:
            chat = await first.session.store.chats.find(chat_id)
        except ConfigurationError:
            chat = None
        for project in self.projects.values():
            if chat and chat.id == chat_id and chat.project == str(project.path):
                return project, chat
        raise NotFound(f"there is no chat {chat_id} here")

    def reconfigure(self) -> None:
        """Load the settings of all projects again from their files. A project whose files have an error keeps its old
        settings, and says why."""
        for project in self.projects.values():
            try:
                if project.session.configuration.again:
                    project.session.reconfigure(project.session.configuration.again())
            except ConfigurationError as error:
                self.hub.publish(Notice(text=str(error)), self.scope(project))

    def scope(self, project: ServedProject, *, chat_id: str | None = None, run_id: str | None = None) -> FrameScope:
        return FrameScope(project.id, chat_id, run_id)


@asynccontextmanager
async def open_server_state(
    configurations: Sequence[Configuration], *, fleet: str | None = None
) -> AsyncGenerator[ServerState, None]:
    """Open the store and a session for every project. At the end nothing that was started keeps running.

    `fleet` is the URL of its database, if it differs from the settings.
    """
    hub = FrameHub()
    asks = ApprovalQueue(hub)

    ids = [project_id(each.settings.project) for each in configurations]
    wanted = [
        # We can't ask in the middle of a turn: downloads start on the page, or by the settings.
        (each, _telling(hub, at), Downloads(pull_display(hub, at)))
        for each, at in zip(configurations, ids, strict=True)
    ]
    async with AsyncExitStack() as stack:
        sessions = await stack.enter_async_context(open_sessions(wanted))
        projects: dict[str, ServedProject] = {}
        for each, configuration, session in zip(ids, configurations, sessions, strict=True):
            external = load_external_agents(configuration.external, configuration.user_file)
            delegations = await stack.enter_async_context(aclosing(Delegations(session, external)))
            versions = InstalledVersions(external.values())
            stack.push_async_callback(versions.close)
            projects[each] = ServedProject(each, session, external, delegations, versions)
        work = LiveWork(hub, asks, sessions[0].log)
        stack.push_async_callback(work.close)
        pulls = ModelPulls(hub, sessions[0].settings.home, sessions[0].log)
        stack.push_async_callback(pulls.close)
        shown = ServedFleet(sessions[0].settings, fleet)
        stack.push_async_callback(shown.close)
        yield ServerState(hub, asks, work, pulls, projects, shown)


def _telling(hub: FrameHub, project_id: str) -> Notify:
    def tell(words: str) -> None:
        hub.publish(Notice(text=words), current_scope() or FrameScope(project_id))

    return tell


def project_id(path: Path) -> str:
    """Stable across restarts, and usable in a URL."""
    return sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:12]
