"""`mulligan overview`: a map of the project, without a model."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text.safe_text import one_line
from mulligan.cli.views.printing import print_json
from mulligan.core.framework_summary import framework_summary
from mulligan.runtime.counted import counted

if TYPE_CHECKING:
    from mulligan.cli.text.lines import Piece
    from mulligan.types.codecontext import Framework, Overview

MAX_FILES = 12
MAX_SYMBOLS = 12
MAX_GROUPS = 8
MAX_FOLDERS = 20


def overview(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Show how a project is structured, without a model.

    Shows languages, entry points, the most important files, and what belongs together. The first run reads every file;
    later ones only what changed.
    """
    import asyncio

    found, frameworks = asyncio.run(_looked_at(project))
    if json:
        print_json({**asdict(found), "frameworks": [asdict(each) for each in frameworks]})
        return
    for line in _lines(found, frameworks):
        _print(line)


async def _looked_at(project: Path | None) -> "tuple[Overview, Sequence[Framework]]":
    """Opens no session: only the index is needed, and opening a session takes longer."""
    import asyncio

    from mulligan.app.configuration import load_configuration
    from mulligan.cli.views.index_line import IndexLine
    from mulligan.workspace.files.project_files import ProjectFiles

    settings = load_configuration(project, {}).settings
    listing = asyncio.create_task(ProjectFiles(settings.project).find_files("*", ".", sys.maxsize))
    # ripgrep lists the files while the index is loaded.
    await asyncio.to_thread(import_module, "mulligan.codecontext.index")
    from mulligan.codecontext.index import ProjectIndex

    async def listed() -> Sequence[str]:
        return (await listing).paths

    progress = IndexLine()
    index = ProjectIndex(settings.project, settings.home / "index", listed, on_progress=progress.show)
    try:
        # Requested together, they share one scan of the files.
        return await asyncio.gather(index.overview(), index.frameworks())
    finally:
        index.close()
        progress.clear()


def _lines(found: "Overview", frameworks: "Sequence[Framework]") -> "Iterable[Sequence[Piece]]":
    """Each line as parts of text with their styles."""
    yield (f"{found.files:,} files, {found.lines:,} lines", "bold"), (_languages(found), "")
    if found.skipped:
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in found.skipped)
        yield ((f"not read, or only in part: {left_out}", "dim"),)
    yield from _section("Made with", [(each.manifest, framework_summary(each)) for each in frameworks])
    yield from _section("Starts at", [(each.path, each.what) for each in found.entry_points])
    yield from _section("Matters most", [(each.path, ", ".join(each.why)) for each in found.important], MAX_FILES)
    symbols = [(f"{each.path}:{each.line}", each.signature) for each in found.symbols]
    yield from _section("Used most", symbols, MAX_SYMBOLS)
    groups = [
        (each.name, f"{counted(len(each.files), 'file')}: {', '.join(each.files[:4])}") for each in found.neighborhoods
    ]
    yield from _section("Belongs together", groups, MAX_GROUPS)
    yield from _section("Documents", [(path, "") for path in found.documents])
    folders = [(f"{'  ' * path.count('/')}{path}/", counted(files, "file")) for path, files in found.folders]
    yield from _section("Folders", folders, MAX_FOLDERS)


def _section(title: str, rows: Sequence[tuple[str, str]], most: int = 10) -> "Iterable[Sequence[Piece]]":
    if not rows:
        return
    yield (("", ""),)
    yield ((title, "bold cyan"),)
    shown = [(_indented(name), one_line(words, 200)) for name, words in rows[:most]]
    width = min(48, max(len(name) for name, _ in shown))
    for name, words in shown:
        yield (f"  {name:<{width}}", ""), (f"  {words}" if words else "", "dim")
    if len(rows) > most:
        yield ((f"  … and {len(rows) - most:,} more", "dim"),)


def _indented(name: str) -> str:
    """On one line, keeping its indentation."""
    return name[: len(name) - len(name.lstrip())] + one_line(name, 120)


def _languages(found: "Overview") -> str:
    shares = ", ".join(f"{each.language} {each.lines:,}" for each in found.languages[:6])
    return f" · {shares}" if shares else ""


def _print(pieces: "Sequence[Piece]") -> None:
    if not sys.stdout.isatty():
        typer.echo("".join(text for text, _ in pieces).rstrip())
        return
    from mulligan.cli.views.screen import Screen

    Screen().print_row(*pieces)
