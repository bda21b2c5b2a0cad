"""PHP."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved, first_words
from mulligan.syntax.project_paths import joined, nearest

_QUERY = """
(namespace_definition name: (_) @name) @module
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(const_element . (name) @name) @constant
(function_call_expression function: (name) @_called arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_called "define")) @constant
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
[(comment) (string_content) (text)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if text.startswith("use"):
        tree = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", text).rstrip("; ")
        head, brace, rest = tree.partition("{")
        for name in first_words(rest.rstrip("} ") if brace else head):
            yield RawImport((head.strip() + name if brace else name).lstrip("\\"))
    elif found := re.search(r"[\"']([^\"']+)[\"']", text):
        yield RawImport(f"./{found[1].lstrip('./')}" if not found[1].startswith("../") else found[1])


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    if raw.module.startswith((".", "/")) or raw.module.endswith(".php"):
        found = around.paths.first(joined(path, raw.module), raw.module.removeprefix("./"))
        return Resolved((found,)) if found else Resolved()
    parts = raw.module.split("\\")
    named = around.paths.named(f"{parts[-1]}.php")
    for depth in range(len(parts), 1 if len(parts) > 1 else 0, -1):
        suffix = f"{'/'.join(parts[-depth:])}.php"
        if found := nearest([each for each in named if f"/{each}".lower().endswith(f"/{suffix}".lower())], path):
            return Resolved((found,))
    # With PSR-4 autoloading, the first parts of a namespace are not folders.
    if len(named) == 1 and len(parts) > 1:
        return Resolved((named[0],))
    return Resolved(external=raw.module)


LANGUAGE = Language(
    name="PHP",
    grammars=(Grammar("php", "tree_sitter_php", ("php",), _QUERY, function="language_php"),),
    interpreters=("php",),
    read_import=_read_import,
    resolve=_resolve,
    has_namespaces=True,
    comment_marks=("//", "#"),
    test_stems=r"test_.*|.+_tests?|tests?|.+\.(?:test|spec)|.*(?:Tests?|TestCase)",
    test_readers=("phpunit", "laravel"),
)
