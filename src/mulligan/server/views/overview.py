"""What is known of a project's code, as a page shows it."""

from collections.abc import Iterable, Sequence

from mulligan.core.framework_summary import framework_summary
from mulligan.core.visible_text import on_one_line
from mulligan.server.views.bodies import FileView, GroupView, LinkView, MapFile, OverviewView, SymbolView
from mulligan.types.codecontext import FileAnalysis, Framework, Link, Neighborhood, Overview, Symbol


def overview_view(found: Overview, frameworks: Iterable[Framework]) -> OverviewView:
    return OverviewView(
        files=found.files,
        lines=found.lines,
        languages=tuple((each.language, each.files, each.lines) for each in found.languages),
        entry_points=tuple((on_one_line(each.path), on_one_line(each.what)) for each in found.entry_points),
        important=tuple(
            MapFile(path=on_one_line(each.path), score=each.score, why=_lines(each.why)) for each in found.important
        ),
        symbols=tuple(symbol_view(each) for each in found.symbols),
        groups=tuple(group_view(each) for each in found.neighborhoods),
        documents=_lines(found.documents),
        folders=tuple((on_one_line(path), files) for path, files in found.folders),
        skipped=found.skipped,
        frameworks=tuple(on_one_line(f"{each.manifest}: {framework_summary(each)}") for each in frameworks),
    )


def file_view(found: FileAnalysis) -> FileView:
    return FileView(
        path=on_one_line(found.path),
        language=found.language,
        lines=found.lines,
        rank=found.rank,
        doc=on_one_line(found.doc),
        symbols=tuple(symbol_view(each) for each in found.symbols),
        imports=_links(found.dependencies.imports),
        imported_by=_links(found.dependencies.imported_by),
        external=_lines(found.dependencies.external),
    )


def group_view(found: Neighborhood) -> GroupView:
    return GroupView(name=on_one_line(found.name), files=_lines(found.files), symbols=_lines(found.symbols))


def symbol_view(found: Symbol) -> SymbolView:
    return SymbolView(
        name=on_one_line(found.name),
        kind=found.kind,
        path=on_one_line(found.path),
        line=found.line,
        signature=on_one_line(found.signature),
        doc=on_one_line(found.doc),
        parent=on_one_line(found.parent),
    )


def _links(found: Iterable[Link]) -> tuple[LinkView, ...]:
    return tuple(LinkView(path=on_one_line(each.path), names=_lines(each.names)) for each in found)


def _lines(found: Sequence[str]) -> tuple[str, ...]:
    return tuple(on_one_line(each) for each in found)
