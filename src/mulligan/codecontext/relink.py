"""Linking the files of a project: all of them, or only those that a change can have touched."""

import contextlib
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.graph import forget_graph
from mulligan.codecontext.linking import FileLinks, Linker
from mulligan.codecontext.manifests.compiled import go_module_name
from mulligan.codecontext.project_paths import ProjectPaths, under
from mulligan.codecontext.records import counted
from mulligan.codecontext.resolve import Surroundings
from mulligan.codecontext.rows import clear_links, defined_names, definers, file_facts, namespaces, put_links

MOST_NAMES = 40
"""Names that came or went; with more it is cheaper to link everything than to look for who uses them."""
_SHAPING = frozenset({"go.mod", "package.json", "tsconfig.json", "jsconfig.json"})
"""Files that say what imports mean."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Files with another content than when everything was linked last; no file came or went."""

    paths: Sequence[str]
    defined: Mapping[str, set[tuple[str, bool]]]
    """What others could link to in each of them then, as `defined_names` tells it."""


def relink(cache: Cache, root: Path, ids: Mapping[str, int], changed: Changed | None) -> None:
    """With `changed` only what that touches. Within a transaction."""
    touched = _touched(cache, changed) if changed else None
    grammars = dict(cache.connection.execute("SELECT path, grammar FROM files WHERE grammar IS NOT NULL"))
    around = _surroundings(cache, root, ids)
    if touched is None:
        clear_links(cache)
        facts = list(file_facts(cache))
        linker = Linker(around, grammars, definers(cache))
    else:
        facts = list(file_facts(cache, touched))
        names = sorted({name for each in facts for name, _ in counted(each.names, _Everything())})
        linker = Linker(around, grammars, definers(cache, names))
    nothing = {path: FileLinks((), ()) for path in touched or ()}
    linked = nothing | {each.path: linker.link(each) for each in facts}
    if put_links(cache, ids, linked) or touched is None:
        forget_graph(cache)


def _touched(cache: Cache, changed: Changed) -> list[str] | None:
    """The files to link again; None for all of them."""
    if any(path.rpartition("/")[2] in _SHAPING for path in changed.paths):
        return None
    now = defined_names(cache, list(changed.paths))
    moved = {name for path in changed.paths for name, _ in now[path] ^ changed.defined.get(path, set())}
    if len(moved) > MOST_NAMES or any(path.endswith((".cs", ".php")) for path in changed.paths):
        return None
    touched = set(changed.paths)
    if moved:
        entries = [f"\n{name}\t".encode() for name in moved]
        query = "SELECT f.path, CAST(t.names AS BLOB) FROM texts t JOIN files f ON f.id = t.file"
        rows = cache.connection.execute(query)
        touched.update(path for path, names in rows if any(entry in names for entry in entries))
    return sorted(touched)


class _Everything:
    def __contains__(self, name: object) -> bool:
        return name != ""


def _surroundings(cache: Cache, root: Path, ids: Mapping[str, int]) -> Surroundings:
    by_name: dict[str, list[str]] = {}
    for path in ids:
        name = path.rpartition("/")[2]
        if name in _SHAPING:
            by_name.setdefault(name, []).append(path)
    return Surroundings(
        paths=ProjectPaths(ids),
        go_modules={
            posixpath.dirname(path): module
            for path in by_name.get("go.mod", ())
            if (module := go_module_name(_read(root, path)))
        },
        node_packages=_node_packages(root, by_name.get("package.json", ())),
        aliases=_aliases(root, [*by_name.get("tsconfig.json", ()), *by_name.get("jsconfig.json", ())]),
        namespaces=namespaces(cache),
    )


def _node_packages(root: Path, paths: Sequence[str]) -> dict[str, str]:
    named = ((_object(_read(root, path)).get("name"), posixpath.dirname(path)) for path in sorted(paths))
    return {name: folder for name, folder in named if isinstance(name, str) and name}


def _aliases(root: Path, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Of all configurations together: an alias that two of them give another meaning is rare."""
    found: list[tuple[str, str]] = []
    for path in sorted(paths):
        options = _object(_read(root, path)).get("compilerOptions")
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
    bare = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.DOTALL)
    with contextlib.suppress(ValueError):
        document: Any = json.loads(re.sub(r",(\s*[}\]])", r"\1", bare))
        if isinstance(document, dict):
            return cast("dict[str, Any]", document)
    return {}


def _read(root: Path, path: str) -> str:
    try:
        return (root / path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
