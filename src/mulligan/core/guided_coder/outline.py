"""What else the suspected files define, by its signatures: a model that is not told of a method does not call it."""

from collections.abc import Iterator, Sequence

from mulligan.core.fault_localisation.ranking import SourceFile
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.syntax.extract import parse_file
from mulligan.syntax.parsed_file import FileSymbol

MAX_SIGNATURE_CHARS = 120
_FIELDS = frozenset({"variable", "constant", "field", "property"})


def outline_of(sources: Sequence[SourceFile], shown: Sequence[Excerpt], budget: float) -> str:
    """Signatures of what is not shown, one file after the other, as far as they fit into `budget` characters."""
    lines: list[str] = []
    for file in sources:
        mine = [each for each in shown if each.path == file.path]
        heading = f"{file.path}:\n"
        for line in _signatures(file, mine):
            budget -= len(heading) + len(line) + 1
            if budget < 0:
                return "\n".join(lines)
            lines.append(f"{heading}{line}")
            heading = ""
    return "\n".join(lines)


def _signatures(file: SourceFile, shown: Sequence[Excerpt]) -> Iterator[str]:
    symbols = parse_file(file.path, "\n".join(file.lines).encode("utf-8", "replace")).symbols
    hidden = [
        each for each in symbols if not any(one.first <= each.line and each.end_line <= one.last for one in shown)
    ]
    fields: dict[str, list[FileSymbol]] = {}
    for each in hidden:
        if each.parent and each.kind in _FIELDS:
            fields.setdefault(each.parent, []).append(each)
    for each in hidden:
        if not each.parent or each.kind not in _FIELDS:
            yield f"{'    ' if each.parent else ''}{each.signature[:MAX_SIGNATURE_CHARS]}"
        own = fields.pop(each.name, ()) if not each.parent else ()
        if own:
            yield f"    {', '.join(one.name for one in own)}"[:MAX_SIGNATURE_CHARS]
