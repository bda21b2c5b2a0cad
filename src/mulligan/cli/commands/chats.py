"""`mulligan chats`: earlier conversations."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from mulligan.cli.completion import complete_chats
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_list, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.chat_export import ChatExport
    from mulligan.types.messages import Chat

ChatArgument = Annotated[
    str,
    typer.Argument(metavar="ID", help="The chat's id, or the start of it.", autocompletion=complete_chats),
]
AllOption = Annotated[bool, typer.Option("--all", help="List the chats of all projects.")]
LimitOption = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many to list, newest first.")]

chats = listing_group(
    """List, show and export chats.

    Without a command, lists this project's chats. To continue one: `mulligan chat --chat ID`, or `mulligan ask --chat
    ID "…"`.
    """
)


@chats.command("list", epilog=help_epilogs.CHATS_LIST)
def list_chats(
    *, project: ProjectOption = None, every: AllOption = False, limit: LimitOption = 30, json: JsonOption = False
) -> None:
    """List the project's chats, most recently used first."""
    import asyncio

    from mulligan.cli.text.sentences import format_time

    found, more = asyncio.run(_newest(project, every=every, limit=limit))
    print_list(
        found,
        as_json=json,
        fields=lambda each: {**each.chat.model_dump(), "ended": each.ended},
        headings=("id", "last used", "agent", "title", "ended", *(("project",) if every else ())),
        row=lambda each: (
            each.chat.id,
            format_time(each.chat.updated_at),
            each.chat.agent,
            each.chat.title,
            each.ended,
            *((each.chat.project,) if every else ()),
        ),
        none='no chats yet: start one with mulligan chat or mulligan ask "…"',
        ascii_only=False,
    )
    if more and not json:
        tell(f"… and {more} older (--limit N)")


@chats.command(epilog=help_epilogs.CHATS_SHOW)
def show(chat: ChatArgument, *, json: JsonOption = False) -> None:
    """Print a chat as Markdown.

    A terminal shows it rendered. Long tool results are shortened; --json has everything.
    """
    exported = _load(chat)
    if json:
        typer.echo(exported.model_dump_json())
    elif sys.stdout.isatty():
        from mulligan.cli.views.markdown_blocks import whole_blocks
        from mulligan.cli.views.screen import Screen

        screen = Screen()
        for block in whole_blocks(_written(exported, "markdown")):
            screen.print_markdown(block)
    else:
        _print_export(exported, "markdown")


@chats.command(epilog=help_epilogs.CHATS_EXPORT)
def export(
    chat: ChatArgument,
    *,
    format_: Annotated[
        Literal["markdown", "json"],
        typer.Option("--format", help="markdown is for reading, and shortens long results; json has everything."),
    ] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
) -> None:
    """Write a chat as Markdown or JSON."""
    exported = _load(chat)
    if output is None:
        _print_export(exported, format_)
        return
    try:
        with output.open("w" if force else "x", encoding="utf-8") as file:
            file.write(_written(exported, format_))
    except FileExistsError as error:
        raise ConfigurationError(f"{output} exists; --force overwrites it") from error
    except OSError as error:
        raise ConfigurationError(f"{output} can't be written: {error.strerror}") from error
    typer.echo(f"wrote {output}", err=True)


def _print_export(exported: "ChatExport", format_: Literal["markdown", "json"]) -> None:
    from mulligan.cli.text.safe_text import lenient_stream

    lenient_stream(sys.stdout).write(_written(exported, format_))


def _written(exported: "ChatExport", format_: Literal["markdown", "json"]) -> str:
    from mulligan.app.chat_export import to_json, to_markdown

    return to_markdown(exported) if format_ == "markdown" else to_json(exported)


LAST_TURNS = 5
"""How far back to look for a chat's last answer: some turns may have none."""


class _Listed(NamedTuple):
    chat: "Chat"
    ended: str
    """How the last turn ended."""


async def _newest(project: Path | None, *, every: bool, limit: int) -> tuple[list[_Listed], int]:
    """The newest chats, and how many more there are."""
    from mulligan.app.configuration import load_configuration
    from mulligan.app.open_session import open_session
    from mulligan.core.transcript import how_it_ended, last_reply

    async with open_session(load_configuration(project, {})) as session:
        found = await session.store.chats.list(project=None if every else str(session.settings.project))
        newest = found[:limit]
        turns = [await session.store.messages.newest_turns(chat.id, LAST_TURNS) for chat in newest]
        listed = [_Listed(chat, how_it_ended(last_reply(each))) for chat, each in zip(newest, turns, strict=True)]
        return listed, len(found) - len(newest)


def _load(chat_id: str) -> "ChatExport":
    import asyncio

    return asyncio.run(_read(chat_id))


async def _read(chat_id: str) -> "ChatExport":
    from mulligan.app.chat_export import export_of
    from mulligan.app.configuration import load_configuration
    from mulligan.app.open_session import open_session

    async with open_session(load_configuration(None, {})) as session:
        chat = await session.store.chats.find(chat_id)
        return await export_of(session.store, chat)
