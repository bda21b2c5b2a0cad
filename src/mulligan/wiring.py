"""The real objects behind the ports, built from settings. The only place that picks concrete classes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.agents.reading import load_agents
from mulligan.configuration import FILE_NAME, Configuration
from mulligan.core.prompts import CONTINUE_PROMPT, system_prompt
from mulligan.core.step_budget import may_continue, step_limit
from mulligan.log import JsonLog
from mulligan.loop.turn import TurnPlan, run_turn
from mulligan.models.openai_chat import OpenAIChat, list_models
from mulligan.models.retrying import RetryingModel
from mulligan.ports import Emit, Log, Model, Store
from mulligan.store.store import open_store
from mulligan.tools.registry import build_tools, pick
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import ConfigurationError, ModelError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat
from mulligan.types.settings import Settings
from mulligan.workspace.project import ProjectFiles

NO_SERVER = (
    "no model server is set. Name one with --base-url http://127.0.0.1:11434/v1 (Ollama's address; llama.cpp listens "
    "on 8080, LM Studio on 1234, vLLM on 8000), with MULLIGAN_BASE_URL, or as base_url in {file}"
)


class House:
    """What a command works with: settings, agents, the store, and turns to run."""

    def __init__(self, configuration: Configuration, store: Store, log: Log) -> None:
        self.settings: Settings = configuration.settings
        self.store = store
        self.log = log
        self.agents = known_agents(configuration)
        self.chosen_model = configuration.chosen_model
        """The person's own choice for this run; None leaves it to agent and settings."""
        self._servers: dict[str, OpenAIChat] = {}

    def agent(self, name: str | None = None) -> AgentSpec:
        """The agent of that name, or the configured one."""
        wanted = name or self.settings.agent
        if wanted not in self.agents:
            raise ConfigurationError(f"there is no agent {wanted}; there are: {', '.join(self.agents)}")
        return self.agents[wanted]

    def model_name(self, agent: AgentSpec) -> str | None:
        """Which model answers; None means the first one that the server lists."""
        return self.chosen_model or agent.model or self.settings.model

    def check(self, agent: AgentSpec) -> None:
        """Raises `ConfigurationError` if this agent can't answer, before anything is stored or sent."""
        if not self.settings.base_url:
            raise ConfigurationError(NO_SERVER.format(file=self.settings.home / FILE_NAME))
        pick(build_tools(ProjectFiles(self.settings.project)), agent.tools)

    async def new_chat(self, prompt: str, agent: AgentSpec) -> Chat:
        project = str(self.settings.project)
        return await self.store.create_chat(project=project, agent=agent.name, title=_title(prompt))

    async def answer(self, chat: Chat, prompt: str, agent: AgentSpec, emit: Emit) -> TurnEnd:
        """Run a turn for the person's message. Cancel it to abort."""
        plan = await self._plan(chat, agent)
        return await run_turn(plan, prompt, store=self.store, emit=emit, log=self.log)

    async def go_on(self, chat: Chat, agent: AgentSpec, emit: Emit) -> TurnEnd:
        """Continue a turn that a guard stopped, with a fresh budget."""
        refused = may_continue(await self.store.messages(chat.id))
        if refused:
            raise ConfigurationError(refused.reason)
        plan = await self._plan(chat, agent)
        return await run_turn(plan, CONTINUE_PROMPT, store=self.store, emit=emit, log=self.log, continues=True)

    async def close(self) -> None:
        for server in self._servers.values():
            await server.aclose()
        await self.store.close()

    async def _plan(self, chat: Chat, agent: AgentSpec) -> TurnPlan:
        project = Path(chat.project)
        return TurnPlan(
            chat_id=chat.id,
            agent=agent.name,
            system=system_prompt(agent, project.name),
            model=RetryingModel(await self._model(agent)),
            tools=pick(build_tools(ProjectFiles(project)), agent.tools),
            step_limit=step_limit(agent.steps, self.settings.steps),
            temperature=self.settings.temperature,
            max_tokens=self.settings.max_tokens,
        )

    async def _model(self, agent: AgentSpec) -> Model:
        self.check(agent)
        settings = self.settings
        base_url = settings.base_url or ""
        key = settings.api_key.get_secret_value() if settings.api_key else None
        name = self.model_name(agent) or await _first_model(base_url, key)
        if name not in self._servers:
            self._servers[name] = OpenAIChat(
                base_url=base_url, model=name, api_key=key, idle_timeout=settings.idle_timeout
            )
        return self._servers[name]


@asynccontextmanager
async def open_house(configuration: Configuration) -> AsyncGenerator[House, None]:
    """Open the store, finish what dead processes left behind, and close everything afterwards."""
    settings = configuration.settings
    log = JsonLog(log_file(settings))
    url = settings.database_url.get_secret_value() if settings.database_url else None
    store = await open_store(url or settings.home / "mulligan.db")
    house = House(configuration, store, log)
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


async def _first_model(base_url: str, api_key: str | None) -> str:
    """The first model that the server lists. Servers that list none mostly take any name; the others say so."""
    try:
        names = await list_models(base_url, api_key)
    except ModelError:
        names = []
    return names[0] if names else "default"


def _title(prompt: str) -> str:
    line = prompt.strip().split("\n", 1)[0]
    return line if len(line) <= 60 else line[:59] + "…"
