"""What a synthesis pass reads: the project's documents, and the files that the question is about."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.citing_documents import cited_files
from mulligan.core.retrieval.excerpts import matching_lines
from mulligan.core.retrieval.files import Rarity
from mulligan.core.retrieval.flow_files import FlowFiles, find_flow_files, flow_question, search_word
from mulligan.core.retrieval.kinds import asks_for_structure, describes_structure
from mulligan.core.retrieval.terms import SearchQuestion, read_question
from mulligan.core.synthesis import (
    FILE_LINES,
    TOP_FILES,
    SynthesisQuestion,
    SynthesisSource,
    document_lines,
    in_order,
    wanted_documents,
)
from mulligan.ports.code import OpenIndex
from mulligan.ports.files import Workspace
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Succeeded

MAX_FILES = 100_000
MAX_LINE_CHARS = 400
"""Most characters of a line to show: a longer line was not written by hand."""
NOTHING = FlowFiles((), Rarity({}, 0.0))


@dataclass(frozen=True, slots=True)
class GatheredSources:
    known: tuple[str, ...]
    """All files of the project."""
    sources: tuple[SynthesisSource, ...]
    """In order of importance."""


async def gather_sources(
    files: Workspace, index: OpenIndex | None, asked: SynthesisQuestion, result: Succeeded
) -> GatheredSources:
    """The documents; then what the call itself was about, the files that the question is about, and the most relevant
    ones of the result, as far as they are readable."""
    every = (await files.find_files("*", ".", MAX_FILES)).paths
    documents = wanted_documents(every)
    question = flow_question(read_question(asked.question, asked.earlier))
    whole = asks_for_structure(question)
    found = await _find(files, index, question, every) if index and not whole else NOTHING
    wanted = dict.fromkeys((*result.asked_for, *found.paths, *result.refers_to))
    others = [path for path in wanted if path not in documents][: TOP_FILES * 2]
    texts = await _read(files, (*documents, *others))
    return GatheredSources(
        every,
        in_order(
            [_beginning(path, texts[path], document_lines(path)) for path in documents if path in texts],
            [_excerpt(question, found.rarity, path, texts[path]) for path in others if path in texts][:TOP_FILES],
            whole=whole,
        ),
    )


async def _find(files: Workspace, index: OpenIndex, question: SearchQuestion, paths: Sequence[str]) -> FlowFiles:
    words = [search_word(term) for term in question.terms]
    code, _ = await index().promptly(lambda known: known.code_files(words))
    documents = await _read(files, [path for path in paths if describes_structure(path)])
    cited = cited_files(question.terms, documents.values(), paths)
    return await asyncio.to_thread(find_flow_files, question, code, cited)


def _beginning(path: str, lines: Sequence[str], most: int) -> SynthesisSource:
    return SynthesisSource(path, tuple(enumerate(lines[:most], 1)), len(lines), document=True)


def _excerpt(question: SearchQuestion, rarity: Rarity, path: str, lines: Sequence[str]) -> SynthesisSource:
    numbers = matching_lines(question, path, lines, rarity, most=FILE_LINES)
    return SynthesisSource(path, tuple((number, lines[number - 1]) for number in numbers), len(lines))


async def _read(files: Workspace, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The lines of these files, without files that can't be shown or are empty."""

    async def read(path: str) -> Sequence[str]:
        try:
            lines = (await files.read_text(path)).lines
        except CallRejected:  # binary, secret, too large, just deleted: use the next one
            return ()
        return [line[:MAX_LINE_CHARS] for line in lines] if any(map(str.strip, lines)) else ()

    texts = await asyncio.gather(*map(read, paths))
    return {path: lines for path, lines in zip(paths, texts, strict=True) if lines}
