"""What the code index knows about the names in a question, in few words: for a model that can't look it up itself."""

import re
from collections.abc import Sequence

from mulligan.types.codecontext import Dependencies, Overview, SymbolInfo

MOST_NAMES = 3
MOST_PLACES = 8
MOST_FILES = 8
LONGEST_LINE = 120
"""Characters of a line of code that are shown."""


def names_asked(text: str) -> list[str]:
    """Names in a question that can be looked up, as they are written: `read_reply`, `Guards`, `House.answer`."""
    quoted = [match[1] for match in _QUOTED.finditer(text)]
    found = [*quoted, *(match[0] for match in _NAME.finditer(text)), *_capitalised(text)]
    return list(dict.fromkeys(name.removesuffix("()") for name in found))[:MOST_NAMES]


def paths_asked(text: str, paths: Sequence[str]) -> list[str]:
    """Files that a question names, by their path or the end of it, where only one is meant."""
    named = [match[0] for match in _FILE.finditer(text)]
    fitting = ([path for path in paths if path == name or path.endswith(f"/{name}")] for name in named)
    return list(dict.fromkeys(found[0] for found in fitting if len(found) == 1))[:MOST_NAMES]


def asks_for_users(text: str) -> bool:
    """Whether it is about who uses something."""
    return _USERS.search(text) is not None


def symbol_facts(infos: Sequence[SymbolInfo], *, users: bool) -> str:
    """Where symbols of one name are defined and, if that is asked, used."""
    lines: list[str] = []
    for info in infos[:MOST_NAMES]:
        symbol = info.symbol
        lines.append(f"{symbol.kind} {symbol.name} is defined in {symbol.path}:{symbol.line}: {_cut(symbol.signature)}")
        if users:
            lines += _used(info)
    return "\n".join(lines)


def dependency_facts(found: Dependencies, *, users: bool) -> str:
    """Which files use a file, or which it uses."""
    links = found.imported_by if users else found.imports
    said = "is used by" if users else "uses"
    if not links:
        return f"{found.path} {said} no other file of the project"
    shown = ", ".join(link.path for link in links[: 2 * MOST_FILES])
    return f"{found.path} {said} {len(links)} {'file' if len(links) == 1 else 'files'}: {shown}"


def overview_facts(overview: Overview) -> str:
    """Where the project starts, and which files matter most."""
    starts = [f"{each.path} ({each.what})" for each in overview.entry_points[:3]]
    lines = [f"It starts at {', '.join(starts)}."] if starts else []
    lines += [f"{each.path}: {', '.join(each.why)}" for each in overview.important[:MOST_FILES]]
    return "\n".join(lines)


def _used(info: SymbolInfo) -> list[str]:
    if not info.references:
        return ["It is used nowhere in the project."]
    places = [f"  {each.path}:{each.line}: {_cut(each.text)}" for each in info.references[:MOST_PLACES]]
    return [f"It is used in {info.total_references} places, among them:", *places]


def _capitalised(text: str) -> list[str]:
    """Words that begin with a capital letter within a sentence: they may be the names of classes."""
    return [match[1] for match in _CAPITALISED.finditer(text)]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


_QUOTED = re.compile(r"[`'\"]([A-Za-z_][\w.]{1,60}(?:\(\))?)[`'\"]")
_NAME = re.compile(
    r"\b(?:[A-Za-z]\w*\.)?(?:[a-zA-Z]\w*_\w+|_\w+|[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,})\b(?!\.[a-z]{1,4}\b)"
)
_CAPITALISED = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})\b(?!\.\w)")
_FILE = re.compile(r"[\w./-]*\w\.[A-Za-z]\w{0,4}\b")
_USERS = re.compile(
    r"\b(?:who|what|which|where|how many|list|find|show)\b.{0,80}?"
    r"\b(?:uses?|used|using|calls?|called|callers?|imports?|imported|depends?|referenced?|refers?)\b",
    re.IGNORECASE | re.DOTALL,
)
