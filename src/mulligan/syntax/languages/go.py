"""Go."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import QUOTED, Grammar, Language, RawImport, ResolutionContext, Resolved, Tracer
from mulligan.syntax.project_paths import ProjectPaths, ancestors, under

_QUERY = """
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(interface_type (method_elem name: (_) @name) @prototype)
(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @parent
  (generic_type type: (type_identifier) @parent)
  (pointer_type (type_identifier) @parent)
  (pointer_type (generic_type type: (type_identifier) @parent))])) name: (_) @name) @method
(method_declaration name: (_) @name) @method
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(import_spec) @import
[(comment) (interpreted_string_literal) (raw_string_literal)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.search(r"[\"`]([^\"`]+)[\"`]", text):
        yield RawImport(found[1])


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    for folder in ancestors(path):
        module = around.go_modules.get(folder)
        if module and (raw.module == module or raw.module.startswith(f"{module}/")):
            return Resolved(seen=_package(under(folder, raw.module[len(module) + 1 :]).rstrip("/"), around.paths))
    if around.may_guess:
        parts = raw.module.split("/")
        # The first parts are the module's own name, so only the end can be a folder.
        packages = (_package("/".join(parts[start:]), around.paths) for start in range(1, len(parts)))
        return Resolved(seen=next(filter(None, packages), ()))
    return Resolved(external=raw.module)


def _package(folder: str, paths: ProjectPaths) -> tuple[str, ...]:
    files = paths.folders.get(folder, ())
    return tuple(each for each in files if each.endswith(".go") and not each.endswith("_test.go"))


LANGUAGE = Language(
    name="Go",
    grammars=(Grammar("go", "tree_sitter_go", ("go",), _QUERY),),
    read_import=_read_import,
    resolve=_resolve,
    import_settings=frozenset({"go.mod"}),
    shares_folder=True,
    strings=rf"{QUOTED}|`[^`]*`",
    test_stems=r".+_tests?",
    spec_folders=False,
    test_readers=("go",),
    tracer=Tracer("go_tracer.sh", "go", (("PATH", "{folder}", ":"),)),
    uses_all_imports=True,
    has_main=True,
    node_kinds={"var_declaration": "expression", "const_declaration": "expression", "block": "block"},
)
