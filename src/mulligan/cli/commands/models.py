"""`mulligan models`: the embedded models, which need no server and no account."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mulligan.cli.commands.probe import probe
from mulligan.cli.completion import complete_models
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell

if TYPE_CHECKING:
    from mulligan.models.embedded.catalog import ModelEntry
    from mulligan.models.embedded.download import ModelFiles

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The model's name; `mulligan models` lists them.", autocompletion=complete_models
    ),
]

models = listing_group(
    """List, download, remove, show and probe models.

    An embedded model needs no server and no account. Without a command, lists them. To use one: `mulligan ask --model
    embedded:NAME "…"`.
    """
)


@models.command("list", epilog=help_epilogs.MODELS_LIST)
def list_models(*, json: JsonOption = False) -> None:
    """List the embedded models, and whether they are downloaded."""
    from mulligan.core.byte_sizes import format_size
    from mulligan.models.embedded.catalog import load_catalog

    catalog, files = load_catalog(), _files()
    print_list(
        catalog.entries,
        as_json=json,
        fields=lambda entry: _fields(entry, files, default=entry.name == catalog.default),
        headings=("name", "size", "memory", "here", "where"),
        row=lambda entry: (
            f"{entry.name} (default)" if entry.name == catalog.default else entry.name,
            format_size(entry.size),
            format_size(entry.memory),
            _state_words(entry, files),
            str(files.path(entry)) if files.present(entry) else "",
        ),
        ascii_only=False,
    )


@models.command(epilog=help_epilogs.MODELS_PULL)
def pull(name: NameArgument) -> None:
    """Download a model, or resume an interrupted download.

    Checks the file against the catalog, and prints its path.
    """
    import asyncio

    from mulligan.cli.views.download_progress import showing_progress
    from mulligan.models.embedded.catalog import find_entry
    from mulligan.models.embedded.engine import engine_missing, engine_version

    entry, files = find_entry(name), _files()
    if engine_version() is None and not files.present(entry):
        raise engine_missing()
    with showing_progress(entry.name) as progress:
        path = asyncio.run(files.pull(entry, progress=progress))
    typer.echo(str(path))


@models.command(epilog=help_epilogs.MODELS_REMOVE)
def remove(name: NameArgument) -> None:
    """Delete a model's file and partial downloads. Stops the model first if it is running."""
    import asyncio

    from mulligan.models.embedded.catalog import find_entry
    from mulligan.models.embedded.servers import EmbeddedServers

    entry, files = find_entry(name), _files()
    asyncio.run(EmbeddedServers(files.folder.parent).stop(entry.name))
    removed = files.remove(entry)
    typer.echo(f"removed {entry.name}" if removed else f"{entry.name} was not downloaded", err=True)


@models.command(epilog=help_epilogs.MODELS_SHOW)
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The server's name for the model.")],
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show how a model samples and thinks, and why.

    Mulligan ships with publishers' recommendations. `[models."NAME"]` in a mulligan.toml overrides them.
    """
    from mulligan.app.configuration import load_configuration
    from mulligan.app.model_tuning import model_values, thinking_words
    from mulligan.models.known.families import family_of

    configuration, family = load_configuration(project, {}), family_of(name)
    values = model_values(name, configuration.settings, configuration.origin)
    if json:
        shown = {each.name: {"value": each.value, "source": each.source} for each in values}
        about = {"model": name, "family": family.name if family else None, "thinking": thinking_words(family)}
        print_json({**about, "values": shown})
        return
    from mulligan.cli.views.tables import print_table

    tell(f"{name}: {f'the family {family.name}' if family else 'an unknown family'}. {thinking_words(family)}")
    if values:
        print_table(("what", "value", "from"), [(each.name, str(each.value), each.source) for each in values])


models.command(epilog=help_epilogs.MODELS_PROBE)(probe)


def _files() -> "ModelFiles":
    from mulligan.app.configuration import load_configuration
    from mulligan.models.embedded.download import ModelFiles

    return ModelFiles(load_configuration(None, {}).settings.home)


def _state_words(entry: "ModelEntry", files: "ModelFiles") -> str:
    if files.present(entry):
        return "yes"
    begun = files.begun(entry)
    return f"{begun * 100 // entry.size} % of it" if begun else "no"


def _fields(entry: "ModelEntry", files: "ModelFiles", *, default: bool) -> dict[str, Any]:
    return {
        **entry.model_dump(mode="json", exclude={"mirrors"}),
        "default": default,
        "present": files.present(entry),
        "begun": files.begun(entry),
        "path": str(files.path(entry)),
    }
