"""Ruby."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import QUOTED, Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import joined

_QUERY = """
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @constant
(call method: (identifier) @_called arguments: (argument_list . (string))
  (#any-of? @_called "require" "require_relative" "load")) @import
[(comment) (string_content)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(\w+)[ (]+[\"']([^\"']+)[\"']", text):
        relative = found[1] != "require" and not found[2].startswith(("./", "../"))
        yield RawImport(f"./{found[2]}" if relative else found[2])


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module if raw.module.endswith(".rb") else f"{raw.module}.rb"
    if raw.module.startswith("."):
        found = around.paths.first(joined(path, name))
        return Resolved((found,)) if found else Resolved()
    found = around.paths.first(name, f"lib/{name}") or around.paths.ending_in(f"lib/{name}", near=path)
    return Resolved((found,)) if found else Resolved(external=raw.module)


LANGUAGE = Language(
    name="Ruby",
    grammars=(
        Grammar("ruby", "tree_sitter_ruby", ("rb", "rake", "gemspec"), _QUERY, file_names=("gemfile", "rakefile")),
    ),
    interpreters=("ruby",),
    read_import=_read_import,
    resolve=_resolve,
    comment_marks=("#",),
    strings=QUOTED,
    scope_mark="::",
    test_stems=r"test_.*|.+_tests?|tests?|.+_spec",
    test_readers=("rspec", "minitest", "test-unit"),
)
