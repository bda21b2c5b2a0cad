"""Links the files of a project: all of them, or only those that a change can affect."""

import contextlib
import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.definitions import StoredDefinitions
from mulligan.codecontext.examined_file import read_text
from mulligan.codecontext.linking import FileFacts, FileLinks, Linker
from mulligan.codecontext.manifests.compiled import go_module_name
from mulligan.codecontext.parsing import IndexInterrupted, Stopped
from mulligan.codecontext.rows import (
    KnownFile,
    LinkSides,
    clear_links,
    file_facts,
    files_naming,
    link_sides,
    namespaces,
    put_links,
)
from mulligan.codecontext.stored_graph import forget_graph, note_changes
from mulligan.codecontext.vocabulary import NameIndex, kept_vocabulary, vocabulary_of
from mulligan.syntax.language import ResolutionContext
from mulligan.syntax.project_paths import ProjectPaths, under
from mulligan.syntax.registry import language_of, language_with, languages

MAX_NAMES = 40
"""Names that were added or removed. With more, linking everything is cheaper than searching for their users."""

LINKED_AT_ONCE = 500
"""Files to keep in memory at a time, with all their names."""


class ChangedFiles(NamedTuple):
    """Files whose content changed since everything was last linked. No file was added or removed."""

    paths: Sequence[str]
    before: Mapping[str, LinkSides]
    """What each of them was at that time."""


def relink(
    cache: Cache, root: Path, files: Mapping[str, KnownFile], changed: ChangedFiles | None, stopped: Stopped
) -> None:
    """Link all files, or only those that `changed` affects. To call within a transaction. Raises `IndexInterrupted`."""
    vocabulary = kept_vocabulary(cache) if changed else None
    touched = _touched(cache, changed, vocabulary) if changed and vocabulary else None
    if touched == []:
        return
    if vocabulary is None or touched is None:
        clear_links(cache)
        forget_graph(cache)
        code = sorted(path for path, each in files.items() if each.grammar is not None)
        linked = _link(cache, root, files, code, known=StoredDefinitions(cache, files), stopped=stopped)
        vocabulary_of({name for each in facts for name in each.counts} for facts, _ in linked).keep(cache)
        return
    names = {name for each in file_facts(cache, touched) for name in each.counts}
    vocabulary.learn(names, cache)
    known = StoredDefinitions(cache, files, sorted(names))
    for _, ends in _link(cache, root, files, touched, known=known, stopped=stopped):
        note_changes(cache, ends)


def _link(
    cache: Cache,
    root: Path,
    files: Mapping[str, KnownFile],
    paths: Sequence[str],
    *,
    known: StoredDefinitions,
    stopped: Stopped,
) -> Iterator[tuple[Sequence[FileFacts], set[int]]]:
    """Link some files at a time. Yields what was linked, and the files at both ends of links that changed."""
    grammars = {grammar for path in paths if (grammar := files[path].grammar)}
    linker = Linker(_surroundings(cache, root, files, grammars), known)
    ids = {path: each.id for path, each in files.items()}
    for start in range(0, len(paths), LINKED_AT_ONCE):
        some = paths[start : start + LINKED_AT_ONCE]
        facts = list(file_facts(cache, some))
        linked = {path: FileLinks((), ()) for path in some}
        for each in facts:
            if stopped():
                raise IndexInterrupted
            linked[each.path] = linker.link(each)
        yield facts, put_links(cache, ids, linked)


def _touched(cache: Cache, changed: ChangedFiles, vocabulary: NameIndex) -> list[str] | None:
    """The files to link again; None for all of them."""
    settings = frozenset[str]().union(*(each.import_settings for each in languages()))
    if any(path.rpartition("/")[2] in settings for path in changed.paths):
        return None
    now = link_sides(cache, changed.paths)
    moved = {name for path in changed.paths for name, _ in now[path].defined ^ changed.before[path].defined}
    if len(moved) > MAX_NAMES or any(map(_has_namespaces, changed.paths)):
        return None
    touched = {path for path in changed.paths if now[path] != changed.before[path]}
    if used := [name for name in moved if name in vocabulary]:
        touched.update(files_naming(cache, used))
    return sorted(touched)


def _has_namespaces(path: str) -> bool:
    language = language_of(path)
    return language is not None and language.has_namespaces


def _surroundings(cache: Cache, root: Path, paths: Collection[str], grammars: set[str]) -> ResolutionContext:
    """What files with these grammars need to resolve their imports."""
    by_name: dict[str, list[str]] = {}
    settings = frozenset[str]().union(*(language_with(grammar).import_settings for grammar in grammars))
    for path in paths if settings else ():
        name = path.rpartition("/")[2]
        if name in settings:
            by_name.setdefault(name, []).append(path)
    return ResolutionContext(
        paths=ProjectPaths(paths),
        go_modules={
            posixpath.dirname(path): module
            for path in by_name.get("go.mod", ())
            if (module := go_module_name(read_text(root, path)))
        },
        node_packages=_node_packages(root, by_name.get("package.json", ())),
        aliases=_aliases(root, [*by_name.get("tsconfig.json", ()), *by_name.get("jsconfig.json", ())]),
        namespaces=namespaces(cache) if "c_sharp" in grammars else {},
    )


def _node_packages(root: Path, paths: Sequence[str]) -> dict[str, str]:
    named = ((_object(read_text(root, path)).get("name"), posixpath.dirname(path)) for path in sorted(paths))
    return {name: folder for name, folder in named if isinstance(name, str) and name}


def _aliases(root: Path, paths: Sequence[str]) -> list[tuple[str, str]]:
    """The aliases of all configurations together: two rarely give an alias different meanings."""
    found: list[tuple[str, str]] = []
    for path in sorted(paths):
        options = _object(read_text(root, path)).get("compilerOptions")
        if not isinstance(options, dict):
            continue
        known = cast("dict[str, Any]", options)
        base = posixpath.normpath(under(posixpath.dirname(path), str(known.get("baseUrl", "."))))
        listed: Any = known.get("paths")
        for alias, targets in cast("dict[str, Any]", listed).items() if isinstance(listed, dict) else ():
            if isinstance(targets, list) and targets and isinstance(targets[0], str):
                target = posixpath.normpath(posixpath.join(base, targets[0].removesuffix("*")))
                end = "/" if targets[0].endswith("/*") else ""
                found.append((alias.removesuffix("*"), target.removeprefix("./") + end))
    return found


def _object(text: str) -> dict[str, Any]:
    without_comments = re.sub(
        r'("(?:[^"\\]++|\\.)*+"?)|//[^\n]*|/\*(?>.*?\*/|.*)', lambda found: found[1] or "", text, flags=re.DOTALL
    )
    with contextlib.suppress(ValueError, RecursionError):
        document: Any = json.loads(re.sub(r",(\s*[}\]])", r"\1", without_comments))
        if isinstance(document, dict):
            return cast("dict[str, Any]", document)
    return {}
