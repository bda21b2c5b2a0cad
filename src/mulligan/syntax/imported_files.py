"""Which files of the project a file imports, as its text and the project's paths tell."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from mulligan.syntax.blanking import blank_literals
from mulligan.syntax.functions import SCRIPTS, parse_python


def imports_of(path: str, lines: Sequence[str], paths: Collection[str]) -> list[str]:
    """In the order of the file, each file once; nothing that lies outside the project."""
    known = frozenset(paths)
    text = "\n".join(lines)
    if path.endswith((".py", ".pyi")):
        found = _python(path, text, known)
    elif path.endswith(SCRIPTS):
        found = _scripts(path, text, known)
    elif path.endswith(".go"):
        found = _go(path, text, known)
    else:
        found = iter(())
    return [each for each in dict.fromkeys(found) if each != path]


def passes_on(path: str) -> bool:
    """A file whose own imports are what is imported from it, such as a package's `__init__`."""
    return bool(_FACADE.search(path))


def namesakes(path: str, paths: Collection[str]) -> list[str]:
    """Files that a test is named for: `test_cart.py` is for `cart.py`. The nearest first."""
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.rpartition(".")
    bare = _TEST_NAME.sub("", stem).lower()
    if not bare or bare == stem.lower():
        return []
    found = [each for each in paths if each.endswith(f".{ending}") and _stem(each).lower() == bare]
    return sorted(found, key=lambda each: (not each.startswith(f"{folder}/"), each.count("/"), each))


_FACADE = re.compile(r"(^|/)(__init__\.pyi?|index\.[cm]?[jt]sx?)$")
_TEST_NAME = re.compile(r"^tests?_|_tests?$|[._-](?:test|spec)s?$|Tests?$|Spec$", re.IGNORECASE)
_PYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([.\w]+)\s+import\s+\(?([\w ,*]*)|import\s+([\w.]+))", re.MULTILINE)
_SCRIPT_IMPORT = re.compile(
    r"(?:\b(?:import|export)\b\s*[^;'\"`()]*?\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)"
    r"(?P<quote>['\"`])(?P<module>[^'\"`\n]+)(?P=quote)"
)
_GO_IMPORTS = re.compile(r"^import\s+(?:\(([^)]*)\)|([^\n]+))", re.MULTILINE)
_SCRIPT_ENDS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def _python(path: str, text: str, known: frozenset[str]) -> Iterator[str]:
    for module, names in _python_imports(text):
        dots = len(module) - len(module.lstrip("."))
        parts = [part for part in module.split(".") if part]
        folders = _ancestors(path)
        if dots:
            roots = [folders[min(dots, len(folders)) - 1]]
        else:
            roots = [*reversed(folders), *(_under(each, name) for each in folders for name in ("src", "lib", "python"))]
        yield from _python_files(roots, parts, names, known) or _by_ending(parts, known, anywhere=not dots)


def _python_imports(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    tree = parse_python(text)
    if tree is None:
        for found in _PYTHON_IMPORT.finditer(text):
            names = tuple(words[0] for part in (found[2] or "").split(",") if (words := part.split()))
            yield found[1] or found[3], names
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ()
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)


def _python_files(roots: Sequence[str], parts: Sequence[str], names: Sequence[str], known: frozenset[str]) -> list[str]:
    for root in roots:
        base = "/".join([*([root] if root else []), *parts])
        module = _python_module(base, known)
        inside = [each for name in names if (each := _python_module(_under(base, name), known))]
        if module or inside:
            # A module that is imported out of its package says more than the package's own file.
            return [*inside, *([module] if module else [])]
    return []


def _by_ending(parts: Sequence[str], known: frozenset[str], *, anywhere: bool) -> Iterator[str]:
    """For a path that is set up elsewhere: the only file that this module can be."""
    if not anywhere or not parts:
        return
    wanted = "/".join(parts)
    found = [each for each in known if f"/{each}".endswith((f"/{wanted}.py", f"/{wanted}/__init__.py"))]
    if len(found) == 1:
        yield found[0]


def _python_module(base: str, known: frozenset[str]) -> str | None:
    return next((each for each in (f"{base}.py", f"{base}/__init__.py", f"{base}.pyi") if each in known), None)


def _scripts(path: str, text: str, known: frozenset[str]) -> Iterator[str]:
    code = blank_literals(path, text)
    for found in _SCRIPT_IMPORT.finditer(text):
        if code[found.start()].isspace():  # commented out
            continue
        if target := _script(path, found["module"], known):
            yield target


def _script(path: str, module: str, known: frozenset[str]) -> str | None:
    if module.startswith("."):
        base = _joined(path, module)
        return next((each for each in _spellings(base) if each in known), None)
    if module.startswith(("@/", "~/", "#", "src/")):  # an alias of the project, for a folder that is not told here
        rest = module.lstrip("@~#").lstrip("/")
        found = {each for each in known for end in _spellings(rest) if f"/{each}".endswith(f"/{end}")}
        return found.pop() if len(found) == 1 else None
    return None


def _spellings(base: str) -> list[str]:
    bare = re.sub(r"\.[cm]?jsx?$", "", base)
    files = [base, *(f"{bare}{end}" for end in _SCRIPT_ENDS), *(f"{base}{end}" for end in _SCRIPT_ENDS)]
    return [*files, *(f"{base}/index{end}" for end in _SCRIPT_ENDS)]


def _go(path: str, text: str, known: frozenset[str]) -> Iterator[str]:
    """The other files of its package, then those of the packages it imports."""
    folder = path.rpartition("/")[0]
    yield from _go_package(folder, known)
    for found in _GO_IMPORTS.finditer(text):
        for module in re.findall(r"\"([^\"]+)\"", found[1] or found[2]):
            parts = module.split("/")
            # The first parts are the module's own name, so that only the end of it can be a folder.
            for start in range(1, len(parts)):
                package = _go_package("/".join(parts[start:]), known)
                if package:
                    yield from package
                    break


def _go_package(folder: str, known: frozenset[str]) -> list[str]:
    return sorted(
        each
        for each in known
        if each.endswith(".go") and not each.endswith("_test.go") and each.rpartition("/")[0] == folder
    )


def _ancestors(path: str) -> list[str]:
    """The folders a file is in, the innermost first, the project's own (empty) last."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), -1, -1)]


def _under(folder: str, relative: str) -> str:
    return f"{folder}/{relative}" if folder else relative


def _joined(path: str, relative: str) -> str:
    parts = path.split("/")[:-1]
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
