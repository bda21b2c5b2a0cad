"""Models as pages see them. No model is asked anything here, unless a probe is wanted."""

from mulligan.app.session import House
from mulligan.models.embedded.catalog import PREFIX, load_catalog
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.known.probe import Finding
from mulligan.models.known.profiles import Choice
from mulligan.server.frames.envelopes import Told
from mulligan.server.state import Desk, Project
from mulligan.server.views.bodies import EmbeddedView, FoundModel, ModelsView, ProbeView
from mulligan.types.errors import MulliganError


async def models_view(house: House) -> ModelsView:
    """What answers, and what else there is. What can't be found out now is left empty: the next turn will say why."""
    try:
        choice = await house.models.choose(house.model_name(house.agent()))
    except MulliganError:
        choice = None
    return ModelsView(
        chosen=_name(choice) if choice else None,
        server=choice.base_url if choice else None,
        agency=house.models.agency(choice) if choice else None,
        found=await _found(house),
        embedded=_embedded(house),
        profiles=tuple(house.models.profiles()),
    )


async def probe_model(desk: Desk, project: Project, model: str | None) -> ProbeView:
    """Ask a model a few tiny things. What is found out is told as it comes."""
    house = project.house
    findings: list[str] = []

    def note(finding: Finding) -> None:
        findings.append(f"{finding.check}: {finding.found}")
        desk.hub.publish(Told(text=findings[-1]), desk.place(project))

    answering = await house.models.ready(model or house.model_name(house.agent()))
    profile = await house.models.probe(answering, note)
    return ProbeView(profile=profile, findings=tuple(findings))


def _name(choice: Choice) -> str:
    """As it is chosen with `--model`."""
    return f"{PREFIX}{choice.model}" if choice.kind == "embedded" else choice.model


async def _found(house: House) -> tuple[FoundModel, ...]:
    try:
        servers = await house.models.offered()
    except MulliganError:
        return ()
    return tuple(
        FoundModel(name=name, server=server.base_url, kind=server.kind) for server in servers for name in server.models
    )


def _embedded(house: House) -> tuple[EmbeddedView, ...]:
    catalog, files = load_catalog(), ModelFiles(house.settings.home)
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
