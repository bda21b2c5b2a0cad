"""Rust."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import ProjectPaths, ancestors, under

MAX_PATH_CHARS = 500
_QUERY = """
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (_) @name)]) @inside
(mod_item name: (_) @name body: (_)) @module
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @prototype
(macro_definition name: (_) @name) @function
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(mod_item !body) @import
(use_declaration) @import
[(line_comment) (block_comment) (string_content)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.search(r"\bmod\s+(?:r#)?(\w+)\s*;$", text):
        yield RawImport(f"mod::{found[1]}")
        return
    tree = re.sub(r"^.*?\buse\s+", "", text).rstrip("; ")
    for path in _use_paths(tree):
        module, _, name = path.removeprefix("::").rpartition("::")
        yield RawImport(module or name, (name,) if module and name not in {"*", "self"} else ())


def _use_paths(tree: str) -> Iterator[str]:
    """The single paths of `a::{b, c::{d, e}}`."""
    heads, name = [""], ""
    for part in re.findall(r"[{},]|[^{},]+", f"{tree},"):
        if part == "{":
            heads.append((heads[-1] + name)[:MAX_PATH_CHARS])
            name = ""
        elif part in {",", "}"}:
            if name:
                yield heads[-1] + name.partition(" as ")[0].strip()
            name = ""
            if part == "}" and len(heads) > 1:
                heads.pop()
        else:
            name = part.strip()


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    paths = around.paths
    parts = [*raw.module.split("::"), *raw.names]
    folder = _own_folder(path)
    match parts[0]:
        case "mod":
            found = paths.first(*(f"{under(folder, parts[1])}{end}" for end in (".rs", "/mod.rs")))
            return Resolved((found,)) if found else Resolved()
        case "crate":
            return _module(_crate_root(path, paths), parts[1:], paths) or Resolved()
        case "self" | "super":
            while parts and parts[0] in {"self", "super"}:
                folder = posixpath.dirname(folder) if parts.pop(0) == "super" else folder
            return _module(folder, parts, paths) or Resolved()
        case crate:
            return _other_crate(crate, parts[1:], paths) or _module(folder, parts, paths) or Resolved(external=crate)


def _other_crate(crate: str, parts: Sequence[str], paths: ProjectPaths) -> Resolved | None:
    """Another crate of the same project, in a folder of that name."""
    for library in paths.named("lib.rs"):
        folder = posixpath.dirname(library)
        if posixpath.basename(posixpath.dirname(folder)).replace("-", "_") == crate:
            return _module(folder, parts, paths) or Resolved((library,), behind=folder)
    return None


def _own_folder(path: str) -> str:
    """Where a file's own modules are."""
    folder, _, name = path.rpartition("/")
    return folder if name in {"mod.rs", "lib.rs", "main.rs"} else under(folder, name.removesuffix(".rs"))


def _crate_root(path: str, paths: ProjectPaths) -> str:
    found = (each for each in ancestors(path) if paths.first(under(each, "lib.rs"), under(each, "main.rs")))
    return next(found, posixpath.dirname(path))


def _module(folder: str, parts: Sequence[str], paths: ProjectPaths) -> Resolved | None:
    for depth in range(len(parts), 0, -1):
        base = under(folder, "/".join(parts[:depth]))
        if found := paths.first(f"{base}.rs", f"{base}/mod.rs"):
            return Resolved((found,), behind=base)
    return None


LANGUAGE = Language(
    name="Rust",
    grammars=(Grammar("rust", "tree_sitter_rust", ("rs",), _QUERY),),
    read_import=_read_import,
    resolve=_resolve,
    resolves_by_file=True,  # a module's own name is a part of the path
    test_stems=r".+_tests?|tests?",
    spec_folders=False,
    test_readers=("cargo",),
    entry_files={"main.rs": "main function"},
    has_main=True,
)
