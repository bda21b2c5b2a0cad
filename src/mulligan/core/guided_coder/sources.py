"""The parts of the sources to show a coder, within a budget."""

from collections.abc import Iterator, Sequence

from mulligan.core.fault_localisation.ranking import Focus, SourceFile, Weighed
from mulligan.core.retrieval.excerpts import HEADER, Excerpt
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.functions import names_in
from mulligan.syntax.statements import MAX_STATEMENT_LINES

SMALL_FILE = 45
"""Lines; a file up to this length is shown whole if the budget allows it."""
MIN_BUDGET = 40
"""Characters; with less budget, nothing would fit."""


def choose_sources(
    ranked: Sequence[SourceFile], weighed: Sequence[Weighed], focus: Focus, *, budget: float, attempt: int = 1
) -> tuple[Excerpt, ...]:
    """Excerpts that fit into `budget` characters, the best file first, each a run of unchanged lines.

    First the relevant functions, with what they use of their file; then small files whole. A second attempt leaves out
    the rest of the files: the model did not find it there.
    """
    chosen: dict[str, list[CodeBlock]] = {file.path: [] for file in ranked}
    files = {file.path: file for file in ranked}
    for each in weighed:
        if each.file.path in chosen and budget > MIN_BUDGET:
            budget -= _add(chosen[each.file.path], each.file, _with_context(each), budget)
    for file in ranked:
        whole = CodeBlock(1, len(file.lines))
        missing = _size(file, [whole]) - _size(file, chosen[file.path])
        small = len(file.lines) <= SMALL_FILE or missing <= budget / 4
        if missing <= budget and small and (attempt != 2 or not chosen[file.path]):
            chosen[file.path] = [whole]
            budget -= missing
    if not any(chosen.values()) and ranked:
        chosen[ranked[0].path] = [_cut(ranked[0], weighed, focus, budget)]
    return tuple(each for path, blocks in chosen.items() for each in excerpts_of(files[path], blocks))


def excerpts_of(file: SourceFile, blocks: Sequence[CodeBlock]) -> Iterator[Excerpt]:
    """Blocks that overlap, or have only blank lines between them, become one excerpt."""
    spans: list[CodeBlock] = []
    for block in sorted(blocks, key=lambda each: each.first):
        if spans and not file.text(spans[-1].last + 1, block.first - 1).strip():
            spans[-1] = CodeBlock(spans[-1].first, max(spans[-1].last, block.last))
        else:
            spans.append(block)
    for span in spans:
        yield Excerpt(file.path, span.first, span.last, file.text(span.first, span.last))


def _add(chosen: list[CodeBlock], file: SourceFile, blocks: Sequence[CodeBlock], budget: float) -> float:
    """Add what fits of a function and its context, the function first; returns the characters it takes."""
    taken = 0.0
    for block in blocks:
        needed = _size(file, [*chosen, block]) - _size(file, chosen)
        if needed <= budget - taken:
            chosen.append(block)
            taken += needed
        elif block is blocks[0]:
            return 0.0
    return taken


def _with_context(each: Weighed) -> list[CodeBlock]:
    function, file = each.function, each.file
    used = names_in(file.path, file.text(function.first, function.last))
    context = [CodeBlock(function.first, function.last)]
    if function.owner_line:
        context.append(_class_head(file, function.owner_line))
    return [*context, *(each.block for each in file.top_level if each.names & used)]


def _class_head(file: SourceFile, line: int) -> CodeBlock:
    """The first line of a class, and its fields if they are few."""
    before_methods = min((each.first - 1 for each in file.functions if each.first > line), default=line)
    return CodeBlock(line, before_methods if before_methods - line < MAX_STATEMENT_LINES else line)


def _cut(file: SourceFile, weighed: Sequence[Weighed], focus: Focus, budget: float) -> CodeBlock:
    """For a function or a file that is too long: the lines around the most suspicious one, or the first."""
    own = next((each.function for each in weighed if each.file.path == file.path), None)
    first, last = (own.first, own.last) if own else (1, len(file.lines))
    middle = next(
        (
            location.line
            for location in focus.locations
            if location.path == file.path and first <= location.line <= last
        ),
        first,
    )
    block = CodeBlock(middle, middle)
    while True:
        wider = CodeBlock(max(first, block.first - 1), min(last, block.last + 2))
        if wider == block or _size(file, [wider]) > budget:
            return block
        block = wider


def _size(file: SourceFile, blocks: Sequence[CodeBlock]) -> int:
    return sum(len(each.text) + len(each.path) + HEADER for each in excerpts_of(file, blocks))
