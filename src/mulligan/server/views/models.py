"""Models as pages see them, and the choice among them. Asks no model, except for a probe."""

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from mulligan.app.personal_settings import KEY, SERVER, Place, change_settings
from mulligan.app.server_address import server_address
from mulligan.app.session import Session
from mulligan.core.model_setup import SetupState, setup_state
from mulligan.models.embedded.catalog import PREFIX, load_catalog
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.engine import engine_version, install_command
from mulligan.models.known.discovery import USUAL_SERVERS, detected_kind, kind_at, list_models_at, offered_services
from mulligan.models.known.probe import ProbeFinding
from mulligan.models.known.profiles import Choice
from mulligan.server.frames.envelopes import Notice
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.agents import AgentView, external_view, native_view
from mulligan.server.views.bodies import Given
from mulligan.server.views.body import Body
from mulligan.types.errors import ModelError, ModelUnreachable, MulliganError
from mulligan.types.profiles import Agency, FoundServer, ModelProfile


class EmbeddedView(Body):
    name: str
    """The name for `--model`, with the prefix `embedded:`."""
    title: str
    size: int
    begun: int
    """Bytes of an interrupted download."""
    downloading: bool
    """This server is downloading it now."""
    memory: int
    present: bool
    default: bool


class EngineView(Body):
    """What runs embedded models."""

    version: str | None
    """None: it is not installed, and no model is downloaded without it."""
    install: str
    """The command that installs it."""


class LookedFor(Body):
    """A server that discovery looks for on this machine."""

    name: str
    port: int
    server: str | None
    """Its address, if something answered there."""


class FoundModel(Body):
    name: str
    """The name for `--model`."""
    server: str
    kind: str


class ModelsView(Body):
    chosen: str | None
    """The default model; None if that is unknown before the first turn."""
    server: str | None
    agency: Agency | None
    setup: SetupState
    """Whether the user has to choose a model first."""
    problem: str
    """Why nothing answers, or the configured server does not; empty if all is well."""
    set_server: str | None
    """The configured server; no other is looked for."""
    looked_for: tuple[LookedFor, ...]
    """Empty if a server is configured, or discovery is off."""
    found: tuple[FoundModel, ...]
    """On servers of this machine, or on the configured one."""
    embedded: tuple[EmbeddedView, ...]
    models_folder: str
    """Where embedded models are stored."""
    engine: EngineView
    services: tuple[str, ...]
    """Services whose key is in the environment. They are used only if chosen."""
    profiles: tuple[ModelProfile, ...]
    """What is known about models that were used or probed."""


class ProbeView(Body):
    profile: ModelProfile
    findings: tuple[str, ...]


class ChoicesView(Body):
    """Agents and models that can answer."""

    agent: str
    """The default agent."""
    agents: tuple[AgentView, ...]
    """Native agents, then external ones, installed or not. Versions are known from the second request on."""
    models: ModelsView


class ServerAddress(Given):
    base_url: str = Field(min_length=1, max_length=2000)
    """The address as the user types it: `localhost:11434` is enough."""
    api_key: SecretStr | None = Field(default=None, max_length=10_000)


class ServerTest(Body):
    """The result of asking a model server for its models. No model was asked anything."""

    base_url: str
    """The whole address."""
    answers: bool
    kind: str
    models: tuple[str, ...]
    words: str
    """The same in a sentence."""


class ChosenModel(Given):
    """The model that should answer from now on. It goes into the user's settings."""

    model: str = Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    base_url: str | None = Field(default=None, max_length=2000)
    """None keeps the configured server, for an embedded model."""
    api_key: SecretStr | None = Field(default=None, max_length=10_000)
    """The key for this server. None keeps the configured key, if it is for the same server."""


class ModelName(Given):
    model: str = Field(min_length=1, max_length=500)


async def choices_view(state: ServerState, project: ServedProject) -> ChoicesView:
    """Agents and models in one response: the page needs both before a user can choose."""
    session = project.session
    installed = project.versions.known()
    native = [native_view(each) for each in session.agents.values()]
    external = [external_view(each, installed.get(each.name)) for each in project.external.values()]
    return ChoicesView(
        agent=session.settings.agent, agents=(*native, *external), models=await models_view(state, session)
    )


async def models_view(state: ServerState, session: Session) -> ModelsView:
    """The current model, and the alternatives. What can't be found out now stays empty: `problem` says why."""
    choice, problem = None, ""
    try:
        choice = await session.models.choose(session.model_name(session.agent()))
    except MulliganError as error:
        problem = str(error)
    servers: list[FoundServer] = []
    answers = True
    try:
        servers = await session.models.offered()
    except MulliganError as error:
        answers = not isinstance(error, ModelUnreachable)
        problem = problem or str(error)
    embedded = _embedded(state, session)
    settings, version = session.settings, engine_version()
    runs_here = version is not None and choice is not None and _is_here(choice, embedded)
    usable = choice is not None and (runs_here if choice.kind == "embedded" else answers)
    return ModelsView(
        chosen=_name(choice) if choice else None,
        server=choice.base_url if choice else None,
        agency=session.models.agency(choice) if choice else None,
        setup=setup_state(
            usable=usable,
            models=sum(len(server.models) for server in servers),
            chosen=session.model_name(session.agent()) is not None,
        ),
        problem=problem,
        set_server=settings.base_url,
        looked_for=_looked_for(servers) if settings.discovery and not settings.base_url else (),
        found=tuple(
            FoundModel(name=name, server=server.base_url, kind=server.kind)
            for server in servers
            for name in server.models
        ),
        embedded=embedded,
        models_folder=str(ModelFiles(settings.home).folder),
        engine=EngineView(version=version, install="" if version else install_command()),
        services=tuple(offer.name for offer in offered_services(os.environ)),
        profiles=tuple(session.models.profiles()),
    )


async def ask_server(session: Session, given: ServerAddress) -> ServerTest:
    """Ask a server for its models. A key goes only to its own server: the typed one, or the user's if it belongs to
    it."""
    address = server_address(given.base_url)
    key = given.api_key.get_secret_value() if given.api_key else session.models.key_for(address)
    kind = kind_at(address)
    try:
        names = await list_models_at(address, kind, key)
        kind = await detected_kind(address, key)
    except ModelError as error:
        return ServerTest(base_url=address, answers=False, kind=kind, models=(), words=str(error))
    title = "A model server" if kind == "openai" else kind
    count = {0: "it lists no model", 1: "it has one model"}.get(len(names), f"it has {len(names)} models")
    return ServerTest(
        base_url=address, answers=True, kind=kind, models=tuple(names), words=f"{title} answers, and {count}."
    )


def choose_model(state: ServerState, session: Session, chosen: ChosenModel) -> None:
    """Write the choice into the user's settings, and use it from now on. A key stays with its server."""
    changes: dict[Place, Any] = {("model",): chosen.model}
    if chosen.base_url is not None and server_address(chosen.base_url) != session.settings.base_url:
        changes[SERVER] = chosen.base_url
    if chosen.api_key is not None:
        changes[KEY] = chosen.api_key.get_secret_value()
    change_settings(session.configuration, changes)
    state.reconfigure()


async def probe_model(state: ServerState, project: ServedProject, model: str | None) -> ProbeView:
    """Ask a model a few tiny things. Results are reported as they arrive."""
    session = project.session
    findings: list[str] = []

    def note(finding: ProbeFinding) -> None:
        findings.append(f"{finding.check}: {finding.found}")
        state.hub.publish(Notice(text=findings[-1]), state.scope(project))

    ready_model = await session.models.ready(model or session.model_name(session.agent()))
    profile = await session.models.probe(ready_model, note)
    return ProbeView(profile=profile, findings=tuple(findings))


def _name(choice: Choice) -> str:
    """The name for `--model`."""
    return f"{PREFIX}{choice.model}" if choice.kind == "embedded" else choice.model


def _is_here(choice: Choice, embedded: Sequence[EmbeddedView]) -> bool:
    return any(each.present for each in embedded if each.name == _name(choice))


def _looked_for(servers: Sequence[FoundServer]) -> tuple[LookedFor, ...]:
    at = {urlsplit(server.base_url).port: server.base_url for server in servers}
    return tuple(LookedFor(name=name, port=port, server=at.get(port)) for port, name in USUAL_SERVERS.items())


def _embedded(state: ServerState, session: Session) -> tuple[EmbeddedView, ...]:
    catalog, files = load_catalog(), ModelFiles(session.settings.home)
    return tuple(
        EmbeddedView(
            name=f"{PREFIX}{entry.name}",
            title=entry.title,
            size=entry.size,
            begun=files.begun(entry),
            downloading=state.pulls.under_way(entry.name),
            memory=entry.memory,
            present=files.present(entry),
            default=entry.name == catalog.default,
        )
        for entry in catalog.entries
    )
