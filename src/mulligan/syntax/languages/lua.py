"""Lua."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import QUOTED, Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import joined

_QUERY = """
(function_declaration name: (dot_index_expression table: (_) @parent field: (_) @name)) @method
(function_declaration name: (method_index_expression table: (_) @parent method: (_) @name)) @method
(function_declaration name: (identifier) @name) @function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @parent field: (_) @name) .)
  (expression_list . value: (function_definition) @method .))
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) @function .))))
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @value)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @value)
(assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) @local .))
(field name: (identifier) @name value: (function_definition) @local)
(function_call name: (identifier) @_called arguments: (arguments . (string))
  (#any-of? @_called "require" "dofile" "loadfile")) @import
[(comment) (string_content)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(\w+)[ (]*[\"'\[]+([^\"'\]]+)", text):
        yield RawImport(found[2] if found[1] == "require" else f"./{found[2].removeprefix('./')}")


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    if raw.module.startswith("./"):  # relative to where the program runs, mostly the project
        found = around.paths.first(raw.module[2:], joined(path, raw.module))
        return Resolved((found,)) if found else Resolved()
    base = raw.module.replace(".", "/")
    for end in (".lua", "/init.lua"):
        if found := around.paths.ending_in(base + end, near=path):
            return Resolved((found,))
    return Resolved(external=raw.module.partition(".")[0])


LANGUAGE = Language(
    name="Lua",
    grammars=(Grammar("lua", "tree_sitter_lua", ("lua",), _QUERY),),
    interpreters=("lua", "luajit"),
    read_import=_read_import,
    resolve=_resolve,
    facades=("init",),
    comment_marks=("--",),
    strings=rf"{QUOTED}|(?:--)?\[\[.*?(?:\]\]|\Z)",
    test_stems=r"test_.*|.+_tests?|tests?|.+_spec|.+\.(?:test|spec)",
    entry_files={"main.lua": "main module"},
)
