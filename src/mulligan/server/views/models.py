"""Models as pages see them. No model is asked anything here, unless a probe is wanted."""

from mulligan.app.session import Session
from mulligan.models.embedded.catalog import PREFIX, load_catalog
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.known.probe import ProbeFinding
from mulligan.models.known.profiles import Choice
from mulligan.server.frames.envelopes import Told
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.bodies import EmbeddedView, FoundModel, ModelsView, ProbeView
from mulligan.types.errors import MulliganError


async def models_view(session: Session) -> ModelsView:
    """What answers, and what else there is. What can't be found out now is left empty: the next turn will say why."""
    try:
        choice = await session.models.choose(session.model_name(session.agent()))
    except MulliganError:
        choice = None
    return ModelsView(
        chosen=_name(choice) if choice else None,
        server=choice.base_url if choice else None,
        agency=session.models.agency(choice) if choice else None,
        found=await _found(session),
        embedded=_embedded(session),
        profiles=tuple(session.models.profiles()),
    )


async def probe_model(state: ServerState, project: ServedProject, model: str | None) -> ProbeView:
    """Ask a model a few tiny things. What is found out is told as it comes."""
    session = project.session
    findings: list[str] = []

    def note(finding: ProbeFinding) -> None:
        findings.append(f"{finding.check}: {finding.found}")
        state.hub.publish(Told(text=findings[-1]), state.scope(project))

    answering = await session.models.ready(model or session.model_name(session.agent()))
    profile = await session.models.probe(answering, note)
    return ProbeView(profile=profile, findings=tuple(findings))


def _name(choice: Choice) -> str:
    """As it is chosen with `--model`."""
    return f"{PREFIX}{choice.model}" if choice.kind == "embedded" else choice.model


async def _found(session: Session) -> tuple[FoundModel, ...]:
    try:
        servers = await session.models.offered()
    except MulliganError:
        return ()
    return tuple(
        FoundModel(name=name, server=server.base_url, kind=server.kind) for server in servers for name in server.models
    )


def _embedded(session: Session) -> tuple[EmbeddedView, ...]:
    catalog, files = load_catalog(), ModelFiles(session.settings.home)
    return tuple(
        EmbeddedView(
            name=f"{PREFIX}{entry.name}",
            size=entry.size,
            memory=entry.memory,
            present=files.present(entry),
            default=entry.name == catalog.default,
        )
        for entry in catalog.entries
    )
