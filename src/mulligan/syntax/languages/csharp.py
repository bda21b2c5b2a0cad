"""C#."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved

_QUERY = """
[(namespace_declaration name: (_) @name) (file_scoped_namespace_declaration name: (_) @name)] @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @struct
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @variable
(local_function_statement name: (_) @name) @function
(field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (_) @name))
  (#any-of? @_const "const" "static")) @value
(using_directive) @import
[(comment) (string_literal_content) (string_content)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(?:global )?using (?:static )?(?:\w+ ?= ?)?([\w.]+)", text):
        yield RawImport(found[1])


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    files = tuple(each for each in around.namespaces.get(raw.module, ()) if each != path)
    return Resolved(seen=files) if raw.module in around.namespaces else Resolved(external=raw.module)


LANGUAGE = Language(
    name="C#",
    grammars=(Grammar("c_sharp", "tree_sitter_c_sharp", ("cs",), _QUERY),),
    read_import=_read_import,
    resolve=_resolve,
    shares_folder=True,
    has_namespaces=True,
    test_stems=r".*(?:Tests?|TestCase)",
    test_readers=("dotnet",),
    has_main=True,
)
