"""Which files of the project an import means, as far as names allow."""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mulligan.syntax.parsed_file import RawImport
from mulligan.syntax.project_paths import ProjectPaths, ancestors, joined, nearest, under


class Resolved(NamedTuple):
    files: tuple[str, ...] = ()
    """What is imported by name."""
    seen: tuple[str, ...] = ()
    """What comes in with it, such as the other files of a package: used only if one of their names is."""
    behind: str | None = None
    """A folder whose files the imported one may pass on under its own name."""
    external: str | None = None
    """A module from elsewhere."""
    names_are_symbols: bool = True
    """What the import lists is taken from the first file; otherwise it is the names of the files."""


class ResolutionContext(NamedTuple):
    """What import resolution needs to know besides the file itself."""

    paths: ProjectPaths
    go_modules: Mapping[str, str]
    """Folder to the module path in its go.mod."""
    node_packages: Mapping[str, str]
    """Name in a package.json to its folder."""
    aliases: Sequence[tuple[str, str]]
    """Of TypeScript: the prefix of an import, and that of the path it stands for."""
    namespaces: Mapping[str, Sequence[str]]
    """Of C#: a namespace to the files that declare it."""


def resolve(grammar: str, path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    resolver = _RESOLVERS.get(grammar)
    return resolver(path, raw, around) if resolver else Resolved()


def _python(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    paths = around.paths
    dots = len(raw.module) - len(raw.module.lstrip("."))
    parts = [part for part in raw.module.split(".") if part]
    if dots:
        folder = ancestors(path)[min(dots - 1, path.count("/"))]
        roots = [folder]
    else:
        # Where Python would look: the project, its source folders, and the folders around a script.
        roots = [each for each in _python_roots(path, paths) if under(each, "__init__.py") not in paths.all]
    for root in roots:
        base = "/".join([*([root] if root else []), *parts])
        found = _python_module(base, paths)
        inside = [each for name in raw.names if (each := _python_module(under(base, name), paths))]
        if found or inside:
            facade = found is not None and found.endswith("/__init__.py")
            files = [found, *inside] if found else inside
            return Resolved(
                tuple(dict.fromkeys(files)), behind=base if facade else None, names_are_symbols=found is not None
            )
    return Resolved() if dots else Resolved(external=parts[0] if parts else None)


def _python_roots(path: str, paths: ProjectPaths) -> list[str]:
    around = ancestors(path)
    sources = [under(each, name) for each in around for name in ("src", "lib", "python")]
    return [*reversed(around), *(each for each in sources if each in paths.with_parents)]


def _python_module(base: str, paths: ProjectPaths) -> str | None:
    return paths.first(f"{base}/__init__.py", f"{base}.py", f"{base}.pyi", f"{base}/__init__.pyi")


_SCRIPT_ENDS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte")


def _javascript(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    module = raw.module
    if module.startswith("."):
        found = _script(joined(path, module), around.paths)
        return Resolved((found,), behind=_behind_index(found)) if found else Resolved()
    for prefix, target in around.aliases:
        if module.startswith(prefix) and (found := _script(target + module[len(prefix) :], around.paths)):
            return Resolved((found,), behind=_behind_index(found))
    parts = module.split("/")
    package = "/".join(parts[:2] if module.startswith("@") else parts[:1])
    folder = around.node_packages.get(package)
    if folder is not None:
        rest = module[len(package) + 1 :]
        bases = [under(folder, rest)] if rest else [under(folder, "src/index"), under(folder, "index")]
        for base in bases:
            if found := _script(base, around.paths):
                return Resolved((found,), behind=_behind_index(found))
    return Resolved(external=package.removeprefix("node:"))


def _script(base: str, paths: ProjectPaths) -> str | None:
    bare = re.sub(r"\.(?:js|jsx|mjs|cjs)$", "", base)
    candidates = [stem + end for stem in dict.fromkeys((base, bare)) for end in _SCRIPT_ENDS]
    return paths.first(*candidates, *(f"{base}/index{end}" for end in _SCRIPT_ENDS[1:]))


def _behind_index(found: str) -> str | None:
    folder, _, name = found.rpartition("/")
    return folder if name.startswith("index.") and folder else None


def _go(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    for folder in ancestors(path):
        module = around.go_modules.get(folder)
        if module and (raw.module == module or raw.module.startswith(f"{module}/")):
            package = under(folder, raw.module[len(module) + 1 :]).rstrip("/")
            files = around.paths.folders.get(package, ())
            return Resolved(
                seen=tuple(each for each in files if each.endswith(".go") and not each.endswith("_test.go"))
            )
    return Resolved(external=raw.module)


def _rust(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    paths = around.paths
    parts = [*raw.module.split("::"), *raw.names]
    folder = _rust_folder(path)
    match parts[0]:
        case "mod":
            found = paths.first(*(f"{under(folder, parts[1])}{end}" for end in (".rs", "/mod.rs")))
            return Resolved((found,)) if found else Resolved()
        case "crate":
            return _rust_module(_crate_root(path, paths), parts[1:], paths) or Resolved()
        case "self" | "super":
            while parts and parts[0] in {"self", "super"}:
                folder = posixpath.dirname(folder) if parts.pop(0) == "super" else folder
            return _rust_module(folder, parts, paths) or Resolved()
        case crate:
            return (
                _rust_crate(crate, parts[1:], paths) or _rust_module(folder, parts, paths) or Resolved(external=crate)
            )


def _rust_crate(crate: str, parts: Sequence[str], paths: ProjectPaths) -> Resolved | None:
    """Another crate of the same project: its folder has its name."""
    for library in paths.named("lib.rs"):
        folder = posixpath.dirname(library)
        if posixpath.basename(posixpath.dirname(folder)).replace("-", "_") == crate:
            return _rust_module(folder, parts, paths) or Resolved((library,), behind=folder)
    return None


def _rust_folder(path: str) -> str:
    """Where a file's own modules are."""
    folder, _, name = path.rpartition("/")
    return folder if name in {"mod.rs", "lib.rs", "main.rs"} else under(folder, name.removesuffix(".rs"))


def _crate_root(path: str, paths: ProjectPaths) -> str:
    found = (each for each in ancestors(path) if paths.first(under(each, "lib.rs"), under(each, "main.rs")))
    return next(found, posixpath.dirname(path))


def _rust_module(folder: str, parts: Sequence[str], paths: ProjectPaths) -> Resolved | None:
    for depth in range(len(parts), 0, -1):
        base = under(folder, "/".join(parts[:depth]))
        if found := paths.first(f"{base}.rs", f"{base}/mod.rs"):
            return Resolved((found,), behind=base)
    return None


def _java(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    if raw.module.endswith(".*"):
        folder = nearest(around.paths.folders_ending_in(raw.module[:-2].replace(".", "/")), path)
        if folder is not None:
            return Resolved(seen=tuple(each for each in around.paths.folders[folder] if each.endswith(".java")))
        return Resolved(external=raw.module[:-2])
    parts = raw.module.split(".")
    for depth in (len(parts), len(parts) - 1):  # a class, or one inside of it
        if depth > 1 and (found := around.paths.ending_in(f"{'/'.join(parts[:depth])}.java", near=path)):
            return Resolved((found,))
    return Resolved(external=raw.module)


def _c(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module.strip("<>")
    beside = around.paths.first(joined(path, name)) if not raw.module.startswith("<") else None
    found = beside or around.paths.ending_in(name.removeprefix("./").replace("../", ""), near=path)
    if found is None:
        return Resolved(external=name)
    # What a header declares is defined in the source file of the same name.
    stem = found.rpartition(".")[0]
    sources = (each for end in (".c", ".cc", ".cpp", ".cxx") if (each := around.paths.first(stem + end)))
    return Resolved((found,), seen=tuple(each for each in sources if each != path))


def _c_sharp(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    files = tuple(each for each in around.namespaces.get(raw.module, ()) if each != path)
    return Resolved(seen=files) if raw.module in around.namespaces else Resolved(external=raw.module)


def _ruby(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module if raw.module.endswith(".rb") else f"{raw.module}.rb"
    if raw.module.startswith("."):
        found = around.paths.first(joined(path, name))
        return Resolved((found,)) if found else Resolved()
    found = around.paths.first(name, f"lib/{name}") or around.paths.ending_in(f"lib/{name}", near=path)
    return Resolved((found,)) if found else Resolved(external=raw.module)


def _php(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    if raw.module.startswith((".", "/")) or raw.module.endswith(".php"):
        found = around.paths.first(joined(path, raw.module), raw.module.removeprefix("./"))
        return Resolved((found,)) if found else Resolved()
    parts = raw.module.split("\\")
    named = around.paths.named(f"{parts[-1]}.php")
    for depth in range(len(parts), 1 if len(parts) > 1 else 0, -1):
        suffix = f"{'/'.join(parts[-depth:])}.php"
        if found := nearest([each for each in named if f"/{each}".lower().endswith(f"/{suffix}".lower())], path):
            return Resolved((found,))
    # With autoloading by PSR-4 the first parts of a namespace are no folders.
    if len(named) == 1 and len(parts) > 1:
        return Resolved((named[0],))
    return Resolved(external=raw.module)


def _bash(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module.removeprefix("./")
    found = around.paths.first(joined(path, raw.module), name) or around.paths.ending_in(name, near=path)
    return Resolved((found,)) if found else Resolved()


_RESOLVERS: dict[str, Callable[[str, RawImport, ResolutionContext], Resolved]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _c,
    "cpp": _c,
    "c_sharp": _c_sharp,
    "ruby": _ruby,
    "php": _php,
    "bash": _bash,
}
