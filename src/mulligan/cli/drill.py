"""`mulligan drill`: see what happens when a model misbehaves."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import JsonOption
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mulligan.drill.fault import Fault

BROKEN = 1


def drill(
    *,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="This fault, or this group of faults; may be given several times."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play a gallery of faults through Mulligan, and see whether it holds.

    A scripted model loops, garbles its calls, misses its edits, breaks off, wrecks the files. Everything else is real:
    this very program, files, git, processes. No model is needed, nothing is downloaded, and all of it happens in
    temporary folders. Exit codes: 0 everything holds, 1 something does not, 2 usage, 130 aborted.
    """
    import asyncio

    from mulligan.cli.drill_views import view_for
    from mulligan.drill.gallery import GALLERY
    from mulligan.drill.running import play_all

    faults = _chosen(GALLERY, only or ())
    with view_for(faults, as_json=json) as view:
        outcomes = asyncio.run(play_all(faults, on_start=view.started, on_end=view.ended))
    if not all(outcome.holds for outcome in outcomes):
        raise typer.Exit(BROKEN)


def _chosen(gallery: "Sequence[Fault]", names: "Sequence[str]") -> "list[Fault]":
    """Those that were named, in the gallery's order; all if none was."""
    known = {fault.name for fault in gallery} | {fault.group for fault in gallery}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigurationError(f"there is no fault {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    return [fault for fault in gallery if not names or fault.name in names or fault.group in names]
