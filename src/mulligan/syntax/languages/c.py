"""C and C++, which share their headers."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import joined

_C = """
(type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @enum
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @type
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (_ declarator: (function_declarator declarator: (_) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (_) @name)))]) @function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator:
    (function_declarator declarator: (identifier) @name)))]) @prototype
(preproc_def name: (_) @name value: (_)) @constant
(preproc_function_def name: (_) @name) @function
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @value)
(preproc_include) @import
[(comment) (string_content) (system_lib_string)] @text
"""
_CPP_ONLY = """
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (template_type) @name body: (_)) @struct
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(declaration declarator: (function_declarator declarator: (destructor_name) @name)) @prototype
(declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @prototype
(field_declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (reference_declarator (function_declarator declarator: (_) @name))]) @prototype
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @value)
"""
_CPP_SIGNS = rb"(?m)^[ \t]*+(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)"


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.search(r"\"([^\"]+)\"|(<[^<>]+>)", text):
        yield RawImport(found[1] or found[2])


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module.strip("<>")
    sibling = around.paths.first(joined(path, name)) if not raw.module.startswith("<") else None
    found = sibling or around.paths.ending_in(name.removeprefix("./").replace("../", ""), near=path)
    if found is None:
        return Resolved(external=name)
    # A header's declarations are defined in the source file of the same name.
    stem = found.rpartition(".")[0]
    sources = (each for end in (".c", ".cc", ".cpp", ".cxx") if (each := around.paths.first(stem + end)))
    return Resolved((found,), seen=tuple(each for each in sources if each != path))


LANGUAGE = Language(
    name="C",
    grammars=(
        Grammar("c", "tree_sitter_c", ("c", "h"), _C),
        Grammar(
            "cpp",
            "tree_sitter_cpp",
            ("cc", "cpp", "cxx", "hh", "hpp", "hxx", "h"),
            _CPP_ONLY + _C,
            name="C++",
            recognized_by=_CPP_SIGNS,
        ),
    ),
    read_import=_read_import,
    resolve=_resolve,
    resolves_by_file=True,
    scope_mark="::",
    test_stems=r"test_.*|.+_tests?",
    spec_folders=False,
    test_readers=("ctest",),
    has_main=True,
)
