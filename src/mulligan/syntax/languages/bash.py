"""The shell."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import QUOTED, Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import joined

_QUERY = """
(function_definition name: (_) @name) @function
(program (variable_assignment name: (variable_name) @name) @value)
(program (declaration_command (variable_assignment name: (variable_name) @name) @value))
(command name: (command_name) @_called (#any-of? @_called "source" ".")) @import
[(comment) (raw_string)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.match(r"(?:source|\.)\s+(.+)", text):
        word = found[1].strip().split(" ")[-1] if "$(" in found[1] else found[1].split(" ")[0]
        # The variable's value is unknown, but the path after it is known.
        unquoted = word.strip("\"'")
        path = (unquoted.rpartition("$")[2].partition("/")[2] if "$" in unquoted else unquoted).strip("\"')")
        if path and "$" not in path:
            yield RawImport(path if path.startswith(("./", "../", "/")) else f"./{path}")


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    name = raw.module.removeprefix("./")
    found = around.paths.first(joined(path, raw.module), name) or around.paths.ending_in(name, near=path)
    return Resolved((found,)) if found else Resolved()


LANGUAGE = Language(
    name="Shell",
    grammars=(Grammar("bash", "tree_sitter_bash", ("sh", "bash"), _QUERY, ascii_only=True),),
    interpreters=("bash", "sh", "dash", "zsh"),
    read_import=_read_import,
    resolve=_resolve,
    comment_marks=("#",),
    strings=QUOTED,
    test_stems=r"test_.*|.+_tests?|tests?",
)
