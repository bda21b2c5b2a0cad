"""Finds what a question is about in the project: search, read, choose."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.excerpts import Excerpt, choose_excerpts
from mulligan.core.retrieval.facts import (
    MAX_NAMES,
    MAX_USERS,
    asks_for_subclasses,
    asks_for_used,
    asks_for_users,
    definition_facts,
    dependency_facts,
    names_asked,
    overview_facts,
    package_asked,
    package_facts,
    paths_asked,
    subclass_facts,
    user_facts,
    words_asked,
)
from mulligan.core.retrieval.files import TermHits, candidate_files, term_rarity
from mulligan.core.retrieval.kinds import asks_for_overview, is_worth_reading
from mulligan.core.retrieval.request import overview_excerpts, overview_files, project_tree
from mulligan.core.retrieval.terms import SearchQuestion, Term, read_question
from mulligan.core.retrieval.uses import subclasses_in, uses_in
from mulligan.ports.code import CodeAnswers, OpenIndex
from mulligan.ports.files import GrepQuery, Workspace
from mulligan.types.codecontext import SymbolInfo
from mulligan.types.errors import CallRejected

MAX_FILES = 100_000
MAX_HITS = 1200
"""Most matching lines of one term: with more, it is a common word that means little."""
MAX_FILE_LINES = 5000
"""Most lines to read."""
MAX_LINE_CHARS = 400
"""Most characters of a line to read: a longer line was not written by hand."""

USERS_EXCERPT_TOKENS = 300
"""Tokens for excerpts if the question asks for users of a symbol and they were found: their list is the answer."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the model is shown."""

    excerpts: tuple[Excerpt, ...]
    tree: str | None = None
    """The project's files and folders, if the question is about the whole project or nothing else was found."""
    facts: str = ""
    """What the code index knows about the names in the question."""


async def gather(
    workspace: Workspace,
    question: str,
    *,
    index: OpenIndex | None = None,
    earlier: str = "",
    budget: int,
    chars_per_token: float,
) -> Gathered:
    """The excerpts of the project that the question is about, best first; its overview if there are none."""
    asked = read_question(question, earlier)
    every = await workspace.find_files("*", ".", MAX_FILES)
    paths = [path for path in every.paths if is_worth_reading(path)]
    facts = ""
    if not asks_for_overview(asked):
        if index:
            facts, _ = await index().promptly(lambda code: _facts(workspace, code, question, paths))
        left = budget - round(len(facts) / chars_per_token)
        if facts and asks_for_users(question):
            left = min(left, USERS_EXCERPT_TOKENS)
        excerpts = await _excerpts(workspace, asked, paths, budget=left, chars_per_token=chars_per_token)
        if excerpts:
            return Gathered(tuple(excerpts), facts=facts)
    tree = project_tree(every.paths)
    if index and not facts:
        overview, _ = await index().promptly(lambda code: code.overview())
        facts = overview_facts(overview)
    files = await _read(workspace, overview_files(paths))
    left = budget - round((len(tree) + len(facts)) / chars_per_token)
    excerpts = overview_excerpts(files, budget=left, chars_per_token=chars_per_token)
    return Gathered(tuple(excerpts), tree, facts)


async def _facts(workspace: Workspace, index: CodeAnswers, question: str, paths: Sequence[str]) -> str:
    """Definitions of the names in the question; or their users, if it asks for these."""
    users = asks_for_users(question)
    found = await _known(index, names_asked(question))
    if users and not found and (package := package_asked(question, paths)):
        name, inside = package
        return package_facts(name, [await index.dependencies(path) for path in inside])
    files = paths_asked(question, paths) if users or asks_for_used(question) else []
    if users and not found and not files:
        found = [each for each in await _known(index, words_asked(question)) if each.symbol.kind != "variable"]
    facts = [
        await _users(workspace, index, each, question) if users else definition_facts(each.symbol) for each in found
    ]
    facts += [dependency_facts(await index.dependencies(path), users=users) for path in files]
    return "\n".join(facts)


async def _known(index: CodeAnswers, names: Sequence[str]) -> list[SymbolInfo]:
    """The symbols of these names, as far as there are any."""
    found: list[SymbolInfo] = []
    for name in names:
        try:
            found += (await index.symbol(name))[:MAX_NAMES]
        except CallRejected:  # no symbol has this name
            continue
    return found[:MAX_NAMES]


async def _users(workspace: Workspace, index: CodeAnswers, info: SymbolInfo, question: str) -> str:
    symbol, asked = info.symbol, read_question(question)
    files = [each.path for each in info.references]
    if asks_for_subclasses(question):
        texts = await _read(workspace, [*files, symbol.path])
        heirs = [heir for path, lines in texts.items() for heir in subclasses_in(symbol.name, path, lines)]
        if heirs:
            return subclass_facts(symbol, heirs, asked)
    texts = await _read(workspace, [*files[:MAX_USERS], symbol.path])
    uses = [
        use
        for path, lines in texts.items()
        for use in uses_in(symbol.name, path, lines, (await index.file(path)).symbols)
    ]
    return user_facts(symbol, uses, asked, unread=info.using_files - len(files[:MAX_USERS]))


async def still_there(workspace: Workspace, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Those of the excerpts whose lines are all still in their files."""
    files = await _read(workspace, dict.fromkeys(each.path for each in excerpts))
    return [each for each in excerpts if set(each.text.split("\n")) <= set(files.get(each.path, ()))]


async def _excerpts(
    workspace: Workspace, question: SearchQuestion, paths: list[str], *, budget: int, chars_per_token: float
) -> list[Excerpt]:
    found = await asyncio.gather(*(_search(workspace, term) for term in question.terms))
    hits = dict(zip(question.terms, found, strict=True))
    rarity = term_rarity(hits, len(paths))
    files = await _read(workspace, candidate_files(question, paths, hits, rarity))
    return choose_excerpts(question, files, rarity, budget=budget, chars_per_token=chars_per_token)


async def _search(workspace: Workspace, term: Term) -> TermHits:
    query = GrepQuery(term.pattern, ignore_case=True, limit=MAX_HITS)
    try:
        result = await workspace.grep(query)
    except CallRejected:  # the search was too slow in this project: use the other terms
        return TermHits(0, {})
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for match in result.matches:
        lines[match.path].append(match.text)
    return TermHits(result.files, lines)


async def _read(workspace: Workspace, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    async def read(path: str) -> tuple[str, ...]:
        try:
            lines = (await workspace.read_text(path)).lines[:MAX_FILE_LINES]
            return tuple(line[:MAX_LINE_CHARS] for line in lines)
        except CallRejected:  # binary, too large, just deleted: it can't be shown
            return ()

    wanted = list(paths)
    texts = await asyncio.gather(*map(read, wanted))
    return {path: lines for path, lines in zip(wanted, texts, strict=True) if lines}
