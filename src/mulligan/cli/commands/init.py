"""`mulligan init`: a first AGENTS.md, generated from the project's files."""

from pathlib import Path
from typing import Annotated

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.turn_command import at_terminal
from mulligan.cli.views.printing import print_json, tell
from mulligan.core.instructions import OF_OTHER_TOOLS
from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.turns import STOPS, WAITING

FILE = "AGENTS.md"


def init(
    *,
    show: Annotated[bool, typer.Option("--print", help="Print it instead of writing it.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file, after showing the diff.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --force, replace it without asking.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Write a first AGENTS.md from the project's files.

    It says how the project is tested, laid out and formatted, as found in index, manifests and sources; no model is
    used. Read it and add what files can't tell. Every agent gets it from then on. Asks before it overwrites a file.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration
    from mulligan.app.instruction_draft import drafted

    settings = load_configuration(project, {}).settings
    root = settings.project
    present = _present(root)
    if present and not (show or force):
        raise ConfigurationError(
            f"{root / FILE} already exists. `mulligan init --print` shows what would be written, and "
            "`mulligan init --force` replaces it after you say yes"
        )
    text = asyncio.run(drafted(settings))
    if show:
        _print(root, text, written=False, as_json=json)
        return
    if present and present.data == text.encode():
        tell(f"{FILE} already says all of this")
        if json:
            _print(root, text, written=False, as_json=True)
        return
    if present and not yes:
        _ask(present, text, as_json=json)
    asyncio.run(_write(root, present, text))
    _print(root, text, written=True, as_json=json)
    for name in (each for each in OF_OTHER_TOOLS if not present and (root / each).is_file()):
        tell(f"{name} is no longer read, since {FILE} exists now: copy the rules you need into it")


def _present(root: Path) -> FileState | None:
    from mulligan.workspace.files.file_bytes import read_file_state

    try:
        present = read_file_state(root / FILE, shown=FILE)
    except CallRejected as rejected:
        raise ConfigurationError(str(rejected)) from rejected
    if present and present.mode == "120000":
        raise ConfigurationError(f"{root / FILE} is a symbolic link: move it away first, or edit its target")
    return present


def _ask(present: FileState, text: str, *, as_json: bool) -> None:
    """Show the diff and exit unless the user says yes."""
    import asyncio

    from mulligan.cli.views.diffs import print_diff_text
    from mulligan.core.line_diff import unified_diff
    from mulligan.workspace.files.file_bytes import decode

    decoded = decode(present)
    if decoded is None:
        raise ConfigurationError(f"{FILE} is not text: move it away first")
    if not as_json:
        print_diff_text(unified_diff(decoded.text, text, FILE))
    if as_json or not at_terminal():
        tell(f"nothing was written: use --yes to replace {FILE}")
        raise typer.Exit(WAITING)
    from mulligan.cli.interactive.choice import choose

    try:
        chosen = asyncio.run(choose(f"replace {FILE}?", {"y": "yes", "n": "no"}, default="n"))
    except KeyboardInterrupt:
        raise typer.Exit(STOPS["aborted"].exit_code) from None
    if chosen != "y":
        tell("nothing was written")
        raise typer.Exit(WAITING)


async def _write(root: Path, present: FileState | None, text: str) -> None:
    from mulligan.workspace.changes.file_locks import file_lock
    from mulligan.workspace.changes.writing import write_file_state

    image = FileState(text.encode(), present.mode if present else "100644")
    try:
        async with file_lock(root, FILE):
            write_file_state(root, FILE, expected=present, image=image)
    except CallRejected as rejected:
        raise ConfigurationError(str(rejected)) from rejected


def _print(root: Path, text: str, *, written: bool, as_json: bool) -> None:
    if as_json:
        print_json({"path": str(root / FILE), "written": written, "text": text})
    elif written:
        typer.echo(f"wrote {root / FILE} ({len(text.splitlines())} lines)")
    else:
        from mulligan.cli.text.safe_text import safe_text

        typer.echo(safe_text(text), nl=False)
