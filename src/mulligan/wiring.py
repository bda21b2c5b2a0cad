"""The real objects behind the ports, built from settings. The only place that picks concrete classes."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.agents.reading import load_agents
from mulligan.configuration import FILE_NAME, Configuration
from mulligan.core.prompts import CONTINUE_PROMPT, system_prompt
from mulligan.core.step_budget import may_continue, step_limit
from mulligan.log import JsonLog
from mulligan.loop.plan import TurnPlan
from mulligan.loop.turn import run_turn
from mulligan.model_choice import Answering, ModelRoom, Pulling, Tell
from mulligan.ports import Emit, Log, Store, Tool
from mulligan.store.store import open_store
from mulligan.tools.registry import build_tools, pick
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat
from mulligan.types.settings import Settings
from mulligan.workspace.project import ProjectFiles

if TYPE_CHECKING:
    from mulligan.models.download_events import Report


def no_words(_words: str) -> None:
    """Nobody listens."""


@contextmanager
def unseen(_name: str) -> Generator["Report", None, None]:
    """A download that nobody watches."""
    yield lambda _progress: None


class House:
    """What a command works with: settings, agents, the store, and turns to run."""

    def __init__(
        self, configuration: Configuration, store: Store, log: Log, *, tell: Tell = no_words, pulling: Pulling = unseen
    ) -> None:
        self.settings: Settings = configuration.settings
        self.store = store
        self.log = log
        self.agents = known_agents(configuration)
        self.chosen_model = configuration.chosen_model
        """The person's own choice for this run; None leaves it to agent and settings."""
        self.models = ModelRoom(self.settings, tell=tell, pulling=pulling)
        self._tell = tell
        self._said: set[str] = set()
        self._toolboxes: dict[Path, dict[str, Tool]] = {}
        """The tools of a project, made once: their schemas take some milliseconds."""

    def agent(self, name: str | None = None) -> AgentSpec:
        """The agent of that name, or the configured one."""
        wanted = name or self.settings.agent
        if wanted not in self.agents:
            raise ConfigurationError(f"there is no agent {wanted}; there are: {', '.join(self.agents)}")
        return self.agents[wanted]

    def model_name(self, agent: AgentSpec) -> str | None:
        """Which model answers; None means that it is for us to find one."""
        return self.chosen_model or agent.model or self.settings.model

    async def ready(self, agent: AgentSpec) -> Answering:
        """The model that answers for this agent. Raises before anything is stored if the agent can't answer."""
        self._tools_of(agent, self.settings.project)
        return await self.models.ready(self.model_name(agent))

    async def new_chat(self, prompt: str, agent: AgentSpec) -> Chat:
        project = str(self.settings.project)
        return await self.store.create_chat(project=project, agent=agent.name, title=_title(prompt))

    async def answer(self, chat: Chat, prompt: str, agent: AgentSpec, emit: Emit) -> TurnEnd:
        """Run a turn for the person's message. Cancel it to abort."""
        return await self._run(chat, prompt, agent, emit, continues=False)

    async def go_on(self, chat: Chat, agent: AgentSpec, emit: Emit) -> TurnEnd:
        """Continue a turn that a guard stopped, with a fresh budget."""
        refused = may_continue(await self.store.messages(chat.id))
        if refused:
            raise ConfigurationError(refused.reason)
        return await self._run(chat, CONTINUE_PROMPT, agent, emit, continues=True)

    async def close(self) -> None:
        await self.models.close()
        await self.store.close()

    async def _run(self, chat: Chat, prompt: str, agent: AgentSpec, emit: Emit, *, continues: bool) -> TurnEnd:
        answering = await self.ready(agent)
        project = Path(chat.project)
        plan = TurnPlan(
            chat_id=chat.id,
            agent=agent.name,
            system=system_prompt(agent, project.name),
            model=answering.model,
            tools=self._tools_of(agent, project),
            step_limit=step_limit(agent.steps, self.settings.steps),
            budget=answering.budget,
            temperature=self.settings.temperature,
            max_tokens=self.settings.max_tokens,
        )
        if answering.agency == "agent":
            return await run_turn(plan, prompt, store=self.store, emit=emit, log=self.log, continues=continues)
        from mulligan.loop.guided import run_guided_turn

        self._say_once(f"guided: Mulligan finds the files, {plan.model.name} answers (--agency agent changes that)")
        return await run_guided_turn(
            plan,
            prompt,
            workspace=ProjectFiles(project),
            profile=answering.profile,
            store=self.store,
            emit=emit,
            log=self.log,
            continues=continues,
        )

    def _tools_of(self, agent: AgentSpec, project: Path) -> tuple[Tool, ...]:
        """Raises `ConfigurationError` for a tool that there isn't."""
        if project not in self._toolboxes:
            self._toolboxes[project] = build_tools(ProjectFiles(project))
        return pick(self._toolboxes[project], agent.tools)

    def _say_once(self, words: str) -> None:
        if words not in self._said:
            self._said.add(words)
            self._tell(words)


@asynccontextmanager
async def open_house(
    configuration: Configuration, *, tell: Tell = no_words, pulling: Pulling = unseen
) -> AsyncGenerator[House, None]:
    """Open the store, finish what dead processes left behind, and close everything afterwards."""
    settings = configuration.settings
    log = JsonLog(log_file(settings))
    url = settings.database_url.get_secret_value() if settings.database_url else None
    store = await open_store(url or settings.home / "mulligan.db")
    house = House(configuration, store, log, tell=tell, pulling=pulling)
    try:
        await store.sweep()
        yield house
    finally:
        await house.close()


def known_agents(configuration: Configuration) -> dict[str, AgentSpec]:
    settings = configuration.settings
    folders = (settings.home / "agents", settings.project / ".mulligan" / "agents")
    return load_agents(folders, configuration.agents, settings.project / FILE_NAME)


def log_file(settings: Settings) -> Path:
    return settings.home / "logs" / "mulligan.log"


def _title(prompt: str) -> str:
    line = prompt.strip().split("\n", 1)[0]
    return line if len(line) <= 60 else line[:59] + "…"
