"""Decisions of the synthesis pass: which sources the answer is written from, how much of each, and the request."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mulligan.core.context_budget import CHARS_PER_TOKEN, ContextBudget, clip_result
from mulligan.types.model_io import SystemText, UserText, WireMessage

TOP_FILES, FILE_LINES, DOCUMENT_LINES = 5, 200, 500
CHANGELOG_LINES = 60
"""The newest entries of a changelog come first."""
MAX_TOKENS = 32_000
"""For the whole request."""
MIN_TOKENS = 800
"""Even for a slow model: with less there is nothing to write from."""
READING_SECONDS = 60
"""How much of the pass's time may go into reading."""
REPLY_TOKENS = 1000
"""Reserved for the answer, if the context is known."""
WORTH_SHOWING = 40
"""Lines. If less of a file would fit, it is not shown."""

SYNTHESIS_SYSTEM = (
    "You write the answer to a user's question about their software project. You are given what a tool found out "
    "about it, the project's own documents and the parts of its files that the question is about. You can't call "
    "tools.\n\n"
    "- Answer the question itself, concretely: what the parts are for and how they work together. No bare lists of "
    "file names.\n"
    "- On what is done, planned or missing, the project's roadmap and changelog count more than what the code "
    "suggests.\n"
    "- Name the files that you rely on, as `path`, and only files whose text you were given.\n"
    "- State nothing that does not follow from what you were given. End with one sentence on what you did not see."
)

SAY_SOMETHING = "Your last reply held no answer. You can't call tools. Write the answer to the question now, as text."


@dataclass(frozen=True, slots=True)
class SynthesisSource:
    """The part of a file that the answer is written from."""

    path: str
    lines: tuple[tuple[int, str], ...]
    """Each with its number, from 1."""
    total: int
    """How many lines the file has."""
    document: bool = False

    def __str__(self) -> str:
        kind = "document" if self.document else "file"
        spans = ", ".join(f"{first}-{last}" for first, last in _spans(number for number, _ in self.lines))
        head = f'<{kind} path="{self.path}" lines="{spans} of {self.total}">'
        return "\n".join([head, *self.shown(), f"</{kind}>"])

    def shown(self) -> list[str]:
        """The lines, with a mark at each gap."""
        starts = {first for first, _ in _spans(number for number, _ in self.lines)[1:]}
        return [f"[…]\n{line}" if number in starts else line for number, line in self.lines]


@dataclass(frozen=True, slots=True)
class SynthesisQuestion:
    """The question, and what came before it in the chat."""

    question: str
    earlier: str = ""


def wanted_documents(paths: Iterable[str]) -> list[str]:
    """The project's documents at its top or in docs/, most important first; one about its structure, one changelog."""
    ranked = sorted((_rank(path), path.count("/"), path) for path in paths)
    single = {rank: path for rank, _, path in reversed(ranked) if rank >= _STRUCTURE}
    return [path for rank, _, path in ranked if rank < len(_DOCUMENTS) and single.get(rank, path) == path]


def document_lines(path: str) -> int:
    """How many of a document's first lines to read."""
    return CHANGELOG_LINES if _rank(path) == _CHANGELOG else DOCUMENT_LINES


def in_order(
    documents: Iterable[SynthesisSource], files: Sequence[SynthesisSource], *, whole: bool
) -> tuple[SynthesisSource, ...]:
    """By importance: the last is dropped first if space is short. That is the changelog, then the document about the
    structure, then files from the last to the first, CONTEXT.md, roadmaps, AGENTS.md. For a question about the project
    as a whole, the document about the structure comes before the files."""
    ranked = [(_rank(each.path), each) for each in documents]
    kept = [each for rank, each in ranked if rank < _STRUCTURE]
    structure = [each for rank, each in ranked if rank == _STRUCTURE]
    changelog = [each for rank, each in ranked if rank == _CHANGELOG]
    rest = (*structure, *files) if whole else (*files, *structure)
    return (*kept, *rest, *changelog)


def synthesis_budget(
    context: ContextBudget | None, *, reads_per_second: float | None, reply_tokens: int | None
) -> tuple[int, float]:
    """Tokens for the request, and characters per token."""
    tokens = MAX_TOKENS
    if reads_per_second:
        tokens = min(tokens, max(MIN_TOKENS, round(reads_per_second * READING_SECONDS)))
    if context is None:
        return tokens, CHARS_PER_TOKEN
    return min(tokens, context.most_tokens(max(reply_tokens or 0, REPLY_TOKENS))), context.chars_per_token


def synthesis_messages(
    asked: SynthesisQuestion, *, tool: str, result: str, sources: Sequence[SynthesisSource], char_limit: int
) -> tuple[list[WireMessage], tuple[SynthesisSource, ...]]:
    """The request, at most `char_limit` characters, and the sources in it.

    `sources` are in order of importance.
    """
    question = clip_result(asked.question.strip(), char_limit // 4)
    earlier = (
        f"Before that the user had asked: {clip_result(asked.earlier, char_limit // 8)}\n" if asked.earlier else ""
    )
    char_limit -= len(SYNTHESIS_SYSTEM) + len(question) + len(earlier) + _AROUND
    found = f'<result tool="{tool}">\n{clip_result(result, char_limit // 2)}\n</result>'
    kept = fit_sources(sources, char_limit - len(found))
    left_out = [source.path for source in sources[len(kept) :]]
    unseen = [f"Not given for lack of room: {clip_result(', '.join(left_out), 200)}"] if left_out else []
    shown = [found, *map(str, kept), *unseen, f"{earlier}Question: {question}"]
    return [SystemText(SYNTHESIS_SYSTEM), UserText("\n\n".join(shown))], kept


def fit_sources(sources: Sequence[SynthesisSource], char_limit: int) -> tuple[SynthesisSource, ...]:
    """The sources that fit into `char_limit` characters. The last are dropped first.

    The one that only partly fits is cut if enough of it remains. MULLIGAN.md is cut, however little remains.
    """
    kept: list[SynthesisSource] = []
    for source in sources:
        if len(str(source)) > char_limit:
            cut = _cut(source, char_limit)
            if len(cut.lines) >= WORTH_SHOWING or _rank(source.path) == 0:
                kept.append(cut)
            break
        kept.append(source)
        char_limit -= len(str(source)) + 2
    return tuple(kept)


_AROUND = 400
"""Characters for the text between the pieces, and the names of what was left out."""

_DOCUMENTS = tuple(
    map(
        re.compile,
        (
            r"(?i:(?:docs/)?mulligan\.md)",
            # In capitals only: guides for people are called agents.md and context.md too.
            r"AGENTS\.md",
            r"(?i:(?:docs/)?[^/]*roadmap[^/]*\.md)",
            r"(?:docs/)?CONTEXT\.md",
            r"(?i:(?:docs/)?(?:architecture|design|internals)\.(?:md|rst))",
            r"(?i:(?:docs/)?(?:changelog|changes|history)\.(?:md|rst))",
        ),
    )
)
"""From the one that is never dropped to the one that is dropped first."""
_STRUCTURE, _CHANGELOG = len(_DOCUMENTS) - 2, len(_DOCUMENTS) - 1


def _rank(path: str) -> int:
    return next((rank for rank, name in enumerate(_DOCUMENTS) if name.fullmatch(path)), len(_DOCUMENTS))


def _cut(source: SynthesisSource, char_limit: int) -> SynthesisSource:
    """At least its first line."""
    shown = source.shown()
    left = char_limit - (len(str(source)) - sum(len(line) + 1 for line in shown))
    count = 0
    for line in shown:
        left -= len(line) + 1
        if left < 0 and count:
            break
        count += 1
    return replace(source, lines=source.lines[:count])


def _spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Sorted numbers as runs without a gap, first and last of each."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
