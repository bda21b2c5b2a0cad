"""`mulligan drill`: shows what happens when a model misbehaves."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.completion import complete_faults
from mulligan.cli.options import JsonOption
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mulligan.cli.views.drill_views import DrillView
    from mulligan.drill.fault import DrillEnd, Fault


def drill(
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            "--group",
            metavar="NAME",
            help="Run this fault, or this group of faults. Repeatable.",
            autocompletion=complete_faults,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the faults instead of running them.")] = False,
    json: JsonOption = False,
) -> None:
    """Test that Mulligan holds when a model misbehaves.

    A scripted model loops, garbles its calls, misses its edits, breaks off and wrecks files. Everything else is real:
    the program itself, files, git, processes. You see what Mulligan did about each fault, how many requests it took,
    and whether that is what it promises.

    It needs no model, downloads nothing, and doesn't touch your project or settings: each fault runs in a temporary
    folder, which is deleted afterwards. It takes about a minute, and needs git.
    """
    import asyncio

    from mulligan.cli.commands.drill_selection import select_faults
    from mulligan.cli.running import show_turn
    from mulligan.cli.views.drill_views import drill_view
    from mulligan.drill.gallery import GALLERY

    faults = select_faults(GALLERY, only or ())
    if listed:
        _list(faults, as_json=json)
        return
    _need_git()
    view = drill_view(faults, as_json=json)
    raise typer.Exit(asyncio.run(show_turn(_play(faults, view), view)))


async def _play(faults: "Sequence[Fault]", view: "DrillView") -> "DrillEnd":
    from mulligan.drill.player import play_all

    end = await play_all(faults, on_start=view.begin, on_end=view.take)
    view.finish(end)
    return end


def _need_git() -> None:
    import shutil

    if shutil.which("git") is None:
        raise ConfigurationError(
            "the drill needs git, which is not on the PATH: install it (Debian and Ubuntu: apt install git; "
            "Fedora: dnf install git; macOS: xcode-select --install), then try again"
        )


def _list(faults: "Sequence[Fault]", *, as_json: bool) -> None:
    from mulligan.cli.commands.drill_selection import group_name
    from mulligan.cli.views.printing import print_list

    print_list(
        faults,
        as_json=as_json,
        fields=lambda fault: {"name": fault.name, "group": fault.group, "title": fault.title},
        headings=("name", "group", "fault"),
        row=lambda fault: (fault.name, group_name(fault), fault.title),
    )
