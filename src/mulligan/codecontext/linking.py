"""Which files use which: by what they import, and by the names they use."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mulligan.syntax.language import Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.parsed_file import counted
from mulligan.syntax.registry import language_with

WHOLE = 10_000
"""Weights are kept as whole numbers, for sums that are the same in any order."""
IMPORTED = 1.0
"""The weight of an import itself."""
PASSED_ON = 0.5
"""A name that comes through the imported file from one behind it."""
GUESSED = 0.2
"""A name that nothing imports, and only one file defines."""
MOST_DEFINERS = 40
"""A name that more files define tells nothing."""
MOST_COUNTED = 9
"""Uses of a name in one file; more do not make the bond closer."""

_NOTHING: set[str] = set()
_TELLING = re.compile(
    r"[a-z0-9]+(?:_[a-z0-9]+)+|(?=[A-Za-z0-9]*?[a-z0-9][A-Z])[A-Za-z0-9]++|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
)


@dataclass(frozen=True, slots=True)
class Definers:
    """For names, the files that define them, of all languages; sorted."""

    free: Mapping[str, Sequence[str]]
    """What can be named by itself: functions, classes, constants."""
    members: Mapping[str, Sequence[str]]
    """What is named as a part of something: methods."""
    languages: Mapping[str, Language]
    """That these files are written in."""

    def __contains__(self, name: object) -> bool:
        return name in self.free or name in self.members


class FileFacts(NamedTuple):
    """What linking needs to know of a file."""

    path: str
    grammar: str
    imports: tuple[RawImport, ...]
    names: str
    """As in `ParsedFile`."""


class FileLink(NamedTuple):
    target: str
    weight: int
    """In parts of `WHOLE`."""
    names: tuple[tuple[str, int], ...]
    """The names of the target that are used, and how often; sorted."""


class FileLinks(NamedTuple):
    links: tuple[FileLink, ...]
    external: tuple[str, ...]


def is_telling(name: str) -> bool:
    """Of several words: a name that is hardly met by chance. A member is known by such a name alone."""
    return _TELLING.fullmatch(name) is not None


class Linker:
    """Links files of one state of a project."""

    def __init__(self, around: ResolutionContext, definers: Definers) -> None:
        self._around = around
        self._definers = definers
        self._resolved: dict[tuple[str, str, RawImport], Resolved] = {}

    def link(self, facts: FileFacts) -> FileLinks:
        found = [(raw, self._resolve(facts, raw)) for raw in facts.imports]
        scope = self._scope(facts, found)
        weights = dict.fromkeys(scope.imported, IMPORTED)
        names: dict[str, dict[str, int]] = {}
        for name, count in counted(facts.names, self._definers):
            free = scope.free(name, self._candidates(facts, name, self._definers.free))
            meant = free or scope.members(name, self._candidates(facts, name, self._definers.members))
            for target, share in meant:
                weights[target] = weights.get(target, 0.0) + share * min(count, MOST_COUNTED) ** 0.5
                names.setdefault(target, {})[name] = count
        links = [
            FileLink(each, round(WHOLE * weights[each]), tuple(sorted(names.get(each, {}).items()))) for each in weights
        ]
        external = {one.external for _, one in found if one.external}
        return FileLinks(tuple(sorted(links, key=lambda link: link.target)), tuple(sorted(external)))

    def _resolve(self, facts: FileFacts, raw: RawImport) -> Resolved:
        language = language_with(facts.grammar)
        place = facts.path if language.resolves_by_file else posixpath.dirname(facts.path)
        key = (place, facts.grammar, raw)
        if key not in self._resolved:
            self._resolved[key] = language.resolve(facts.path, raw, self._around)
        return self._resolved[key]

    def _scope(self, facts: FileFacts, found: Sequence[tuple[RawImport, Resolved]]) -> "_Scope":
        imported: dict[str, set[str] | None] = {}
        behind: dict[str, set[str] | None] = {}
        seen = {each for _, one in found for each in one.seen}
        language = language_with(facts.grammar)
        for raw, one in found:
            listed = set(raw.names) if raw.names and "*" not in raw.names and language.lists_names else None
            for place, path in enumerate(one.files):
                # The first is the module itself; others are modules that the import names.
                _allow(imported, path, listed if place == 0 and one.names_are_symbols else None)
            if one.behind is not None:
                _allow(behind, one.behind, listed)
        if language.shares_folder:
            seen.update(self._around.paths.folders[posixpath.dirname(facts.path)])
        imported.pop(facts.path, None)
        seen.discard(facts.path)
        return _Scope(facts.path, imported, seen, behind)

    def _candidates(self, facts: FileFacts, name: str, definers: Mapping[str, Sequence[str]]) -> list[str]:
        """The files that define a name, in a language whose names this file can use."""
        files = definers.get(name, ())
        if len(files) > MOST_DEFINERS:
            return []
        own, languages = language_with(facts.grammar), self._definers.languages
        return [each for each in files if languages[each] is own]


def _allow(scope: dict[str, set[str] | None], path: str, names: set[str] | None) -> None:
    """These names may come from there; None for any."""
    known = scope.get(path, set())
    scope[path] = None if names is None or known is None else known | names


class _Scope(NamedTuple):
    """What a file can see."""

    path: str
    imported: dict[str, set[str] | None]
    """Files, each with the names that are taken from it; None for any."""
    seen: set[str]
    behind: dict[str, set[str] | None]
    """Folders, in the same way."""

    def free(self, name: str, files: Sequence[str]) -> list[tuple[str, float]]:
        """The files that a name may come from, each with its share."""
        if self.path in files:
            return []
        direct = [each for each in files if each in self.seen or _takes(self.imported.get(each, _NOTHING), name)]
        if direct:
            return [(each, 1 / len(direct)) for each in direct]
        folders = [folder for folder, names in self.behind.items() if _takes(names, name)]
        passed = [each for each in files if any(each.startswith(f"{folder}/") for folder in folders)] if folders else []
        if passed:
            return [(each, PASSED_ON / len(passed)) for each in passed]
        return [(files[0], GUESSED)] if len(files) == 1 and is_telling(name) else []

    def members(self, name: str, files: Sequence[str]) -> list[tuple[str, float]]:
        """Of a method's class nothing is known here: only a telling name from a file in sight is taken for it."""
        if self.path in files or not is_telling(name):
            return []
        near = [each for each in files if each in self.seen or each in self.imported]
        return [(each, PASSED_ON / len(near)) for each in near]


def _takes(names: set[str] | None, name: str) -> bool:
    return names is None or name in names
