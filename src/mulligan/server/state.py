"""What the routes work with: the projects that are served, the work under way, and where frames go."""

from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mulligan.app.agents.external import load_external_agents
from mulligan.app.configuration import Configuration
from mulligan.app.delegation import Delegations
from mulligan.app.model_selection import Pulling, Tell
from mulligan.app.session import House, open_houses
from mulligan.models.embedded.download_progress import Checking, Downloading, MirrorSkipped, Progress, Report, Waiting
from mulligan.server.approvals import OpenAsks
from mulligan.server.frames.envelopes import PullProgress, Told
from mulligan.server.frames.hub import FrameHub, Place
from mulligan.server.live_work import LiveWork, place_of_work
from mulligan.server.views.agents import Versions
from mulligan.types.backends import ExternalAgent
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat


class Unknown(ConfigurationError):
    """There is no such thing here: 404."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that is served."""

    id: str
    house: House
    external: Mapping[str, ExternalAgent]
    delegations: Delegations
    versions: Versions

    @property
    def path(self) -> Path:
        return self.house.settings.project

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)


@dataclass(frozen=True, slots=True)
class Desk:
    hub: FrameHub
    asks: OpenAsks
    work: LiveWork
    projects: Mapping[str, Project]
    """By id, in the order they were named."""

    def project(self, project_id: str) -> Project:
        if project_id not in self.projects:
            raise Unknown(f"there is no project {project_id} here")
        return self.projects[project_id]

    async def chat(self, chat_id: str) -> tuple[Project, Chat]:
        """A chat of a project that is served, by its whole id."""
        first = next(iter(self.projects.values()))
        try:
            chat = await first.house.store.find_chat(chat_id)
        except ConfigurationError:
            chat = None
        for project in self.projects.values():
            if chat and chat.id == chat_id and chat.project == str(project.path):
                return project, chat
        raise Unknown(f"there is no chat {chat_id} here")

    def place(self, project: Project, *, chat_id: str | None = None, run_id: str | None = None) -> Place:
        return Place(project.id, chat_id, run_id)


@asynccontextmanager
async def open_desk(configurations: Sequence[Configuration]) -> AsyncGenerator[Desk, None]:
    """Open the store and a house for every project; at the end nothing that was begun runs on."""
    hub = FrameHub()
    asks = OpenAsks(hub)

    ids = [project_id(each.settings.project) for each in configurations]
    wanted = [(each, _telling(hub, at), _pulling(hub, at)) for each, at in zip(configurations, ids, strict=True)]
    async with AsyncExitStack() as stack:
        houses = await stack.enter_async_context(open_houses(wanted))
        projects: dict[str, Project] = {}
        for each, configuration, house in zip(ids, configurations, houses, strict=True):
            external = load_external_agents(configuration.external, configuration.user_file)
            delegations = await stack.enter_async_context(aclosing(Delegations(house, external)))
            versions = Versions(external.values())
            stack.push_async_callback(versions.close)
            projects[each] = Project(each, house, external, delegations, versions)
        work = LiveWork(hub, asks, houses[0].log)
        stack.push_async_callback(work.close)
        yield Desk(hub, asks, work, projects)


def _telling(hub: FrameHub, project_id: str) -> Tell:
    def tell(words: str) -> None:
        hub.publish(Told(text=words), place_of_work() or Place(project_id))

    return tell


def _pulling(hub: FrameHub, project_id: str) -> Pulling:
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
                        hub.publish(PullProgress(model=model, done=done, total=total), Place(project_id))
                case Waiting():
                    hub.publish(Told(text=f"another process is downloading {model}: waiting"), Place(project_id))
                case MirrorSkipped():
                    hub.publish(Told(text=f"{progress.mirror} {progress.reason}"), Place(project_id))

        yield report

    return pulling


def project_id(path: Path) -> str:
    """The same from start to start, and fit for an address."""
    return sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:12]
