"""`mulligan models probe`: measure what a model can do."""

from typing import TYPE_CHECKING

import typer

from mulligan.cli.options import BaseUrlOption, DownloadYesOption, JsonOption, ModelOption

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.types.profiles import ModelProfile


def probe(
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    yes: DownloadYesOption = False,
    json: JsonOption = False,
) -> None:
    """Measure what a model can do, and remember it.

    Asks some small questions to find out about native tools, JSON schema, parallel calls, images, silently truncated
    prompts, speed, and whether the model can drive tools by itself. Takes a minute or two with a small model on a slow
    machine.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration

    configuration = load_configuration(None, {"model": model, "base_url": base_url})
    profile = asyncio.run(_probe(configuration, as_json=json, yes=yes))
    if json:
        typer.echo(profile.model_dump_json())
        return
    from mulligan.cli.views.tables import print_table

    print_table(("what", "found"), _rows(profile))


async def _probe(configuration: "Configuration", *, as_json: bool, yes: bool) -> "ModelProfile":
    from mulligan.app.model_selection import ModelSelector
    from mulligan.app.ready_models import Downloads
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.turn_command import at_terminal
    from mulligan.cli.views.download_progress import showing_progress
    from mulligan.cli.views.printing import print_side_message
    from mulligan.models.known.probe import ProbeFinding

    def show(finding: ProbeFinding) -> None:
        if not as_json:
            print_side_message(f"{finding.check}: {finding.found}")

    allow = download_consent(print_side_message, yes=yes, interactive=at_terminal() and not as_json)
    downloads = Downloads(showing_progress, allow)
    selector = ModelSelector(configuration.settings, tell=print_side_message, downloads=downloads)
    try:
        ready_model = await selector.ready(configuration.settings.model)
        print_side_message(f"probing {ready_model.profile.model} at {ready_model.profile.server}")
        return await selector.probe(ready_model, show)
    finally:
        await selector.close()


def _rows(profile: "ModelProfile") -> list[tuple[str, str]]:
    from mulligan.core.protocols import choose_agency, choose_protocol

    known = {True: "yes", False: "no", None: "not known"}
    return [
        ("model", f"{profile.model} at {profile.server} ({profile.kind})"),
        ("context", _count(profile.context_length, "tokens")),
        ("truncates prompts silently", _count(profile.truncates_at, "tokens", none="not seen")),
        ("native tools", known[profile.native_tools]),
        ("parallel calls", known[profile.parallel_calls]),
        ("JSON schema", known[profile.json_schema]),
        ("images", known[profile.images]),
        ("reads", _count(profile.reads_per_second, "tokens a second")),
        ("writes", _count(profile.writes_per_second, "tokens a second")),
        ("ability", "not known" if profile.ability is None else f"{profile.ability:.0%} of the exercises"),
        ("tools are called", choose_protocol(profile)),
        ("agency", choose_agency(profile)),
    ]


def _count(value: float | None, unit: str, *, none: str = "not known") -> str:
    return none if value is None else f"{value:,.0f} {unit}"
