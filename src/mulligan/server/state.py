"""What the routes work with: the projects that are served, the work under way, and where frames go."""

from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mulligan.app.agents.external import load_external_agents
from mulligan.app.configuration import Configuration
from mulligan.app.delegation import Delegations
from mulligan.app.ready_models import DownloadDisplay, Notify
from mulligan.app.session import Session, open_sessions
from mulligan.models.embedded.download_progress import Checking, Downloading, MirrorSkipped, Progress, Report, Waiting
from mulligan.server.approvals import ApprovalQueue
from mulligan.server.frames.envelopes import PullProgress, Told
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.server.live_work import LiveWork, current_scope
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
    projects: Mapping[str, ServedProject]
    """By id, in the order they were named."""

    def project(self, project_id: str) -> ServedProject:
        if project_id not in self.projects:
            raise NotFound(f"there is no project {project_id} here")
        return self.projects[project_id]

    async def chat(self, chat_id: str) -> tuple[ServedProject, Chat]:
        """A chat of a project that is served, by its whole id."""
        first = next(iter(self.projects.values()))
        try:
            chat = await first.session.store.chats.find(chat_id)
        except ConfigurationError:
            chat = None
        for project in self.projects.values():
            if chat and chat.id == chat_id and chat.project == str(project.path):
                return project, chat
        raise NotFound(f"there is no chat {chat_id} here")

    def scope(self, project: ServedProject, *, chat_id: str | None = None, run_id: str | None = None) -> FrameScope:
        return FrameScope(project.id, chat_id, run_id)


@asynccontextmanager
async def open_server_state(configurations: Sequence[Configuration]) -> AsyncGenerator[ServerState, None]:
    """Open the store and a session for every project. At the end nothing that was started still runs."""
    hub = FrameHub()
    asks = ApprovalQueue(hub)

    ids = [project_id(each.settings.project) for each in configurations]
    wanted = [(each, _telling(hub, at), _pulling(hub, at)) for each, at in zip(configurations, ids, strict=True)]
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
        yield ServerState(hub, asks, work, projects)


def _telling(hub: FrameHub, project_id: str) -> Notify:
    def tell(words: str) -> None:
        hub.publish(Told(text=words), current_scope() or FrameScope(project_id))

    return tell


def _pulling(hub: FrameHub, project_id: str) -> DownloadDisplay:
    """A download shows on every page, one frame a percent."""

    @contextmanager
    def pulling(model: str) -> Generator[Report, None, None]:
        told = -1

        def report(progress: Progress) -> None:
            nonlocal told
            match progress:
                case Downloading(done=done, total=total) | Checking(done=done, total=total):
                    if done * 100 // total != told:
                        told = done * 100 // total
                        hub.publish(PullProgress(model=model, done=done, total=total), FrameScope(project_id))
                case Waiting():
                    hub.publish(Told(text=f"another process is downloading {model}: waiting"), FrameScope(project_id))
                case MirrorSkipped():
                    hub.publish(Told(text=f"{progress.mirror} {progress.reason}"), FrameScope(project_id))

        yield report

    return pulling


def project_id(path: Path) -> str:
    """The same from start to start, and fit for an address."""
    return sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:12]
