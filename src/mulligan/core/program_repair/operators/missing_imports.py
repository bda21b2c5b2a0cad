"""Imports that a failure says are missing, in JavaScript, TypeScript and Go: the file with the import put in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname, relpath

from mulligan.syntax.languages.javascript import SCRIPTS

Lines = tuple[str, ...]

_UNKNOWN = re.compile(r"\b([A-Za-z_$][\w$]*) is not defined|\bundefined: ([A-Za-z_]\w*)")
_NOT_EXPORTED = re.compile(r"does not provide an export named '([\w$]+)'")
_IMPORTS = re.compile(r"(?:import|const|let|var) \{([^}]*)\}(?: from | = require\()['\"]([^'\"]+)['\"]")
_PACKAGE = re.compile(r"package \w+")
_OF_NODE = frozenset({"assert", "crypto", "fs", "os", "path", "url", "util"})
_OF_GO = {
    each.rpartition("/")[2]: each
    for each in (
        "bufio", "bytes", "errors", "fmt", "io", "maps", "math", "os", "regexp", "slices", "sort", "strconv", "strings",
        "sync", "time", "unicode", "unicode/utf8", "encoding/json", "math/rand", "path/filepath",
    )
}  # fmt: skip


def imported(failures: Sequence[str], files: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Lines, str]]:
    """Path, new lines and what was added, for every name that a failure does not know."""
    told = "\n".join(failures)
    names = dict.fromkeys(one or other for one, other in _UNKNOWN.findall(told))
    for name in names:
        for path, lines in files.items():
            if re.search(rf"(?<![\w.$]){re.escape(name)}\b", "\n".join(lines)):
                yield from _for_go(name, path, lines) if path.endswith(".go") else _for_script(name, path, lines, files)
    for name in dict.fromkeys(_NOT_EXPORTED.findall(told)):
        for path, lines in files.items():
            for at, line in enumerate(lines):
                if re.match(rf"(?:async )?(?:function|const|let|class) {re.escape(name)}\b", line):
                    yield path, (*lines[:at], f"export {line}", *lines[at + 1 :]), f"export {name}"


def _for_go(name: str, path: str, lines: Sequence[str]) -> Iterator[tuple[str, Lines, str]]:
    package = _OF_GO.get(name)
    if package is None or f"{name}." not in "\n".join(lines):
        return
    group = next((at for at, line in enumerate(lines) if line.startswith("import (")), None)
    if group is not None:
        yield path, (*lines[: group + 1], f'\t"{package}"', *lines[group + 1 :]), f'import "{package}"'
        return
    at = next((at for at, line in enumerate(lines) if _PACKAGE.match(line)), -1) + 1
    yield path, (*lines[:at], "", f'import "{package}"', *lines[at:]), f'import "{package}"'


def _for_script(
    name: str, path: str, lines: Sequence[str], files: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Lines, str]]:
    if not path.endswith(SCRIPTS) or _defines(name, lines):
        return
    plain = any("require(" in line or "module.exports" in line for line in lines)
    for other, theirs in files.items():
        if other == path or not other.endswith(SCRIPTS) or not _defines(name, theirs):
            continue
        module = relpath(other, dirname(path) or ".")
        module = module if module.startswith(".") else f"./{module}"
        yield from _beside_others(name, path, lines, module)
        statement = f'const {{ {name} }} = require("{module}");' if plain else f'import {{ {name} }} from "{module}";'
        yield path, (statement, *lines), statement
    if name in _OF_NODE:
        statement = f'const {name} = require("node:{name}");' if plain else f'import {name} from "node:{name}";'
        yield path, (statement, *lines), statement


def _beside_others(name: str, path: str, lines: Sequence[str], module: str) -> Iterator[tuple[str, Lines, str]]:
    """Where something is imported from the same file already."""
    for at, line in enumerate(lines):
        found = _IMPORTS.match(line)
        if found and found[2].removesuffix(".js") == module.removesuffix(".js"):
            names = ", ".join([*(each.strip() for each in found[1].split(",") if each.strip()), name])
            wider = f"{line[: found.start(1)]} {names} {line[found.end(1) :]}"
            yield path, (*lines[:at], wider, *lines[at + 1 :]), f"import {name}"


def _defines(name: str, lines: Sequence[str]) -> bool:
    defined = re.compile(rf"(?:export )?(?:default )?(?:async )?(?:function\*? |const |let |class ){re.escape(name)}\b")
    return any(defined.match(line) for line in lines)
