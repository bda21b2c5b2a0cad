"""Which files use which, by their imports and by the names they use."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple, Protocol

from mulligan.syntax.language import Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.registry import language_with

WHOLE = 10_000
"""Weights are stored as integers in these units, so that their sums are the same in any order."""
IMPORTED = 1.0
"""The weight of an import itself."""
REEXPORTED = 0.5
"""The weight of a name that the imported file re-exports from another file."""
MEMBER = 0.5
"""The weight of a method that a visible file defines: the class that was meant is unknown."""
GUESSED = 0.2
"""The weight of a name that is not imported, and that only one file defines."""
MAX_DEFINERS = 40
"""A name that more files define says nothing about which one is meant."""
MAX_COUNTED_USES = 9
"""Most uses of a name in one file to count; more don't make the link stronger."""
MAX_FOLDERS = 64
"""Folders whose names are cached, for what is imported through them."""
MAX_IMPORTS = 20_000
"""Resolved imports to cache: files are linked in the order of their paths, and neighbors import the same modules."""

_DISTINCTIVE = re.compile(
    r"[a-z0-9]+(?:_[a-z0-9]+)+|(?=[A-Za-z0-9]*?[a-z0-9][A-Z])[A-Za-z0-9]++|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
)

Meant = dict[str, tuple[Sequence[str], float]]
"""Names with the files that each may come from, and the weight for each of these files."""


class Defined(NamedTuple):
    """The names of a file that others may use, without those that too many files define."""

    free: frozenset[str] = frozenset()
    """Names that can be used on their own: functions, classes, constants."""
    members: frozenset[str] = frozenset()
    """Distinctive names that are used as part of something, such as methods."""


class Definitions(Protocol):
    """What the files of a project define."""

    def of(self, path: str) -> Defined: ...

    def language(self, path: str) -> Language | None:
        """None for a file without code."""
        ...

    def lone(self, language: Language) -> Mapping[str, str]:
        """Distinctive free names that only one file of a language defines, and that file."""
        ...


class FileFacts(NamedTuple):
    """What linking needs to know about a file."""

    path: str
    grammar: str
    imports: tuple[RawImport, ...]
    counts: Mapping[str, int]
    """The names that the file uses, and how often."""


class FileLink(NamedTuple):
    target: str
    weight: int
    """In units of 1 / `WHOLE`."""
    names: tuple[tuple[str, int], ...]
    """The names of the target that are used, and how often; sorted."""


class FileLinks(NamedTuple):
    links: tuple[FileLink, ...]
    external: tuple[str, ...]


def is_distinctive(name: str) -> bool:
    """Whether a name has several words, and so hardly occurs by chance. Members are only linked by such names."""
    return _DISTINCTIVE.fullmatch(name) is not None


class Linker:
    """Links files of one state of a project.

    The set of names that a file uses is intersected with that of each visible file: looking up the definers of every
    name takes ten times as long.
    """

    def __init__(self, around: ResolutionContext, definitions: Definitions) -> None:
        self._around = around
        self._definitions = definitions
        self._sorted = sorted(around.paths.all)
        self._resolved: dict[tuple[str, str, RawImport], Resolved] = {}
        self._inside = lru_cache(MAX_FOLDERS)(self._names_inside)

    def link(self, facts: FileFacts) -> FileLinks:
        found = [(raw, self._resolve(facts, raw)) for raw in facts.imports]
        scope = self._scope(facts, found)
        counts = facts.counts
        meant = self._meant(facts, scope, frozenset(counts))
        weights = dict.fromkeys(scope.imported, IMPORTED)
        names: dict[str, list[tuple[str, int]]] = {}
        for name in sorted(meant):
            targets, share = meant[name]
            weight = share * min(counts[name], MAX_COUNTED_USES) ** 0.5
            for target in targets:
                weights[target] = weights.get(target, 0.0) + weight
                names.setdefault(target, []).append((name, counts[name]))
        links = [FileLink(each, round(WHOLE * weights[each]), tuple(names.get(each, ()))) for each in sorted(weights)]
        external = {one.external for _, one in found if one.external}
        return FileLinks(tuple(links), tuple(sorted(external)))

    def _resolve(self, facts: FileFacts, raw: RawImport) -> Resolved:
        language = language_with(facts.grammar)
        origin = facts.path if language.resolves_by_file else posixpath.dirname(facts.path)
        key = (origin, facts.grammar, raw)
        if key not in self._resolved:
            if len(self._resolved) >= MAX_IMPORTS:
                self._resolved.clear()
            self._resolved[key] = language.resolve(facts.path, raw, self._around)
        return self._resolved[key]

    def _scope(self, facts: FileFacts, found: Sequence[tuple[RawImport, Resolved]]) -> "_Scope":
        imported: dict[str, set[str] | None] = {}
        behind: dict[str, set[str] | None] = {}
        seen = {each for _, one in found for each in one.seen}
        language = language_with(facts.grammar)
        for raw, one in found:
            listed = set(raw.names) if raw.names and "*" not in raw.names and language.lists_names else None
            for index, path in enumerate(one.files):
                # The first file is the module itself; the others are modules that the import names.
                _allow(imported, path, listed if index == 0 and one.names_are_symbols else None)
            if one.behind is not None:
                _allow(behind, one.behind, listed)
        if language.shares_folder:
            seen.update(self._around.paths.folders[posixpath.dirname(facts.path)])
        imported.pop(facts.path, None)
        seen.discard(facts.path)
        return _Scope(imported, seen, behind)

    def _meant(self, facts: FileFacts, scope: "_Scope", used: frozenset[str]) -> Meant:
        """The names that come from other files, which are never names that the file defines itself."""
        language, known = language_with(facts.grammar), self._definitions
        own = known.of(facts.path)
        visible = sorted(each for each in scope.seen | scope.imported.keys() if known.language(each) is language)
        foreign = used - own.free
        meant = self._imported(scope, visible, foreign)
        if scope.behind:
            meant |= self._passed_on(scope, language, foreign - meant.keys())
        lone = known.lone(language)
        meant |= {name: ((lone[name],), GUESSED) for name in (foreign - meant.keys()) & lone.keys()}
        return meant | self._members(visible, used - meant.keys() - own.members)

    def _imported(self, scope: "_Scope", visible: Sequence[str], used: frozenset[str]) -> Meant:
        found: dict[str, list[str]] = {}
        for path in visible:
            names = used & self._definitions.of(path).free
            allowed = None if path in scope.seen else scope.imported[path]
            for name in names if allowed is None else names & allowed:
                found.setdefault(name, []).append(path)
        return {name: (paths, 1 / len(paths)) for name, paths in found.items()}

    def _passed_on(self, scope: "_Scope", language: Language, used: AbstractSet[str]) -> Meant:
        found: dict[str, set[str]] = {}
        for folder, allowed in scope.behind.items():
            inside = self._inside(folder, language)
            for name in (used if allowed is None else used & allowed) & inside.keys():
                found.setdefault(name, set()).update(inside[name])
        return {name: (sorted(paths), REEXPORTED / len(paths)) for name, paths in found.items()}

    def _members(self, visible: Sequence[str], used: AbstractSet[str]) -> Meant:
        """The class of a used method is unknown here, so only distinctive names from visible files are linked."""
        found: dict[str, list[str]] = {}
        for path in visible:
            for name in used & self._definitions.of(path).members:
                found.setdefault(name, []).append(path)
        return {name: (paths, MEMBER / len(paths)) for name, paths in found.items()}

    def _names_inside(self, folder: str, language: Language) -> dict[str, list[str]]:
        """The free names that files anywhere below a folder define, with these files."""
        found: dict[str, list[str]] = {}
        for index in range(bisect_left(self._sorted, f"{folder}/"), len(self._sorted)):
            path = self._sorted[index]
            if not path.startswith(f"{folder}/"):
                break
            if self._definitions.language(path) is language:
                for name in self._definitions.of(path).free:
                    found.setdefault(name, []).append(path)
        return found


def _allow(scope: dict[str, set[str] | None], path: str, names: set[str] | None) -> None:
    """Add names that may come from a path; None for any name."""
    known = scope.get(path, set())
    scope[path] = None if names is None or known is None else known | names


class _Scope(NamedTuple):
    """What a file can see."""

    imported: dict[str, set[str] | None]
    """Files, each with the names imported from it; None for any name."""
    seen: set[str]
    behind: dict[str, set[str] | None]
    """The same for folders."""
