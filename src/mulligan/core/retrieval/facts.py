"""What the code index knows about the names in a question, briefly: for a model that can't look it up itself."""

import re
from collections.abc import Iterable, Sequence

from mulligan.core.retrieval.kinds import kind_weight
from mulligan.core.retrieval.terms import SearchQuestion
from mulligan.core.retrieval.uses import NameUse
from mulligan.runtime.counted import counted
from mulligan.types.codecontext import Dependencies, Overview, Symbol

MAX_NAMES = 3
MAX_USERS = 8
MAX_TESTS_NAMED = 3
MAX_IMPORTANT_SYMBOLS = 8
MAX_FILES = 16
MAX_LINE_CHARS = 120
"""Characters of a line of code to show."""


def names_asked(text: str) -> list[str]:
    """Names in a question that can be looked up, as written: `read_reply`, `Guards`, `Session.answer`."""
    quoted = [match[1] for match in _QUOTED.finditer(text)]
    found = [*quoted, *(match[0] for match in _NAME.finditer(text)), *_capitalised(text)]
    return list(dict.fromkeys(name.removesuffix("()") for name in found))[:MAX_NAMES]


def paths_asked(text: str, paths: Sequence[str]) -> list[str]:
    """Files that a question names, by the end of their path or as a module (`shelf.loans`, `the loans module`), if the
    name is unique."""
    named = [match[0] for match in _FILE.finditer(text)]
    if _PACKAGE.search(text):
        named += words_asked(text)
    fitting = ([path for path in paths if _is_called(path, name)] for name in named)
    return list(dict.fromkeys(found[0] for found in fitting if len(found) == 1))[:MAX_NAMES]


def package_asked(text: str, paths: Sequence[str]) -> tuple[str, list[str]] | None:
    """The folder that a question calls a package or similar, and the files in it."""
    if not _PACKAGE.search(text):
        return None
    for word in words_asked(text):
        inside = [path for path in paths if f"/{word}/" in f"/{path}"]
        if inside:
            return word, inside[:MAX_FILES]
    return None


def words_asked(text: str) -> list[str]:
    """Plain words in the place of a name, in a question about users: "who calls lend?", "where is settle used?"."""
    found = (match[1] for match in _IN_PLACE_OF_NAME.finditer(text))
    return list(dict.fromkeys(word for word in found if len(word) > 2))[:MAX_NAMES]


def asks_for_users(text: str) -> bool:
    """Whether it asks who uses something: "who calls it", not "what does it call"."""
    return _USERS.search(text) is not None and not asks_for_used(text)


def asks_for_subclasses(text: str) -> bool:
    """Whether it asks what inherits from something."""
    return _HEIRS.search(text) is not None


def asks_for_used(text: str) -> bool:
    """Whether it asks what something uses."""
    return _USED.search(text) is not None


def definition_facts(symbol: Symbol) -> str:
    return f"{symbol.kind} {symbol.name} is defined in {symbol.path}: {_cut(symbol.signature)}"


def user_facts(symbol: Symbol, uses: Sequence[NameUse], question: SearchQuestion, *, unread: int = 0) -> str:
    """Who uses a symbol; `unread` is how many more files use it that were not read.

    One line per user, its name first and no line number: small models take the numbers for the answer. Tests only by
    path, unless asked for: they would be taken for the answer too.
    """
    head = f"{symbol.kind} {symbol.name} of {symbol.path}"
    if not uses:
        return f"{head} is used nowhere else in the project."
    main = [each for each in uses if kind_weight(each.path, question) == 1]
    aside = dict.fromkeys(each.path for each in uses if each not in main)
    verb = "is called by" if symbol.kind in {"function", "method"} else "is used by"
    lines = [f"{head} {verb}:", *_listed([f"{_user(each)}: {_cut(each.text)}" for each in main])] if main else []
    if aside:
        lines.append(f"Tests of {symbol.name}: {', '.join(list(aside)[:MAX_TESTS_NAMED])}")
    if unread:
        lines.append(f"{unread} more {'file uses' if unread == 1 else 'files use'} it.")
    return "\n".join(lines)


def subclass_facts(symbol: Symbol, subclasses: Sequence[NameUse], question: SearchQuestion) -> str:
    """Which classes inherit from one; those in tests only if there are no others, or if asked for."""
    main = [each for each in subclasses if kind_weight(each.path, question) == 1] or subclasses
    return "\n".join([f"{symbol.kind} {symbol.name} of {symbol.path} is inherited by:", *_listed(map(_user, main))])


def dependency_facts(found: Dependencies, *, users: bool) -> str:
    """Which files use a file, or which it uses."""
    links = found.imported_by if users else found.imports
    return _files(found.path, [link.path for link in links], users=users)


def package_facts(name: str, found: Sequence[Dependencies]) -> str:
    """Which files use a folder's files, except these themselves."""
    own = {each.path for each in found}
    users = dict.fromkeys(link.path for each in found for link in each.imported_by if link.path not in own)
    return _files(f"package {name}", list(users), users=True)


def overview_facts(overview: Overview) -> str:
    """Where the project starts, and which files matter most."""
    starts = [f"{each.path} ({each.what})" for each in overview.entry_points[:3]]
    lines = [f"It starts at {', '.join(starts)}."] if starts else []
    lines += [f"{each.path}: {', '.join(each.why)}" for each in overview.important[:MAX_IMPORTANT_SYMBOLS]]
    return "\n".join(lines)


def _files(what: str, paths: Sequence[str], *, users: bool) -> str:
    verb = "is used by" if users else "uses"
    if not paths:
        return f"{what} {verb} no other file of the project"
    more = f" and {len(paths) - MAX_FILES} more" if len(paths) > MAX_FILES else ""
    shown = ", ".join(paths[:MAX_FILES])
    return f"{what} {verb} {counted(len(paths), 'file')}: {shown}{more}"


def _user(use: NameUse) -> str:
    return f"`{use.user}` in {use.path}" if use.user else use.path


def _listed(users: Iterable[str]) -> list[str]:
    lines = [f"- {each}" for each in users]
    if len(lines) > MAX_USERS:
        lines[MAX_USERS:] = [f"- and {len(lines) - MAX_USERS} more"]
    return lines


def _is_called(path: str, name: str) -> bool:
    module = path.rpartition(".")[0]
    return f"/{path}".endswith(f"/{name}") or f"/{module}".endswith(f"/{name.replace('.', '/')}")


def _capitalised(text: str) -> list[str]:
    """Words with a capital letter within a sentence: they may be class names."""
    return [match[1] for match in _CAPITALISED.finditer(text)]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_LINE_CHARS else f"{text[: MAX_LINE_CHARS - 1]}…"


_QUOTED = re.compile(r"[`'\"]([A-Za-z_][\w.]{1,60}(?:\(\))?)[`'\"]")
_NAME = re.compile(
    r"\b(?:[A-Za-z]\w*\.)?(?:[a-zA-Z]\w*_\w+|_\w+|[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,})\b(?!\.[a-z]{1,4}\b)"
)
_CAPITALISED = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})\b(?!\.\w)")
_FILE = re.compile(r"[\w./-]{0,200}\w\.[A-Za-z]\w{0,20}\b")
_PACKAGE = re.compile(r"\b(?:package|module|folder|directory)\b", re.IGNORECASE)
_HEIRS = re.compile(
    r"\b(?:inherits?|inherited|extends?|extended|subclass(?:es|ed)?|derives?|derived|implements?|implemented)\b",
    re.IGNORECASE,
)
_OF_USE = (
    r"(?:uses?|used|using|users?|calls?|called|callers?|imports?|imported|depends?|references?|referenced|refers?"
    r"|inherits?|inherited|extends?|extended|subclass(?:es|ed)?|derives?|derived"
    r"|(?<=classes )implement|(?<=types )implement|(?<=who )implements"
    r"|invokes?|invoked|raises?|raised|throws?|thrown|breaks?|affects?|affected|impacts?|impacted"
    r"|relies|rely|(?:need|needs|have|has) to (?:be )?changed?|must (?:be )?changed?)"
)
_USERS = re.compile(
    r"\b(?:who|what|which|where|how many|list|find|show|is there|are there|(?:does|do) any\w*)\b"
    rf".{{0,80}}?\b{_OF_USE}\b",
    re.IGNORECASE | re.DOTALL,
)
_USED = re.compile(
    r"\b(?:does|do)\s+(?!not\b|any).{1,60}?"
    r"\b(?:use|call|import|depend|refer|inherit|extend|derive|invoke|raise|throw|rely)\b",
    re.IGNORECASE,
)
_IN_PLACE_OF_NAME = re.compile(
    rf"\b(?:{_OF_USE}|is|are|was|if|when)\b"
    r"(?=\s+(?:(?:of|on|to|from|by|the|a|an|class|function|method|type|interface|struct|constant|module|package)\s+)*"
    r"([A-Za-z_]\w*))",
    re.IGNORECASE,
)
