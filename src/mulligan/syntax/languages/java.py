"""Java."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved
from mulligan.syntax.project_paths import nearest

_QUERY = """
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(field_declaration (modifiers "static") declarator: (variable_declarator name: (_) @name)) @value
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(import_declaration) @import
[(line_comment) (block_comment) (string_fragment)] @text
"""


def _read_import(text: str) -> Iterator[RawImport]:
    if found := re.match(r"import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;?$", text):
        module = found[2]
        if found[1] and not found[3]:
            module, _, name = module.rpartition(".")
            yield RawImport(module, (name,))
        else:
            yield RawImport(module + (found[3] or "" if not found[1] else ""))


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
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


LANGUAGE = Language(
    name="Java",
    grammars=(Grammar("java", "tree_sitter_java", ("java",), _QUERY),),
    read_import=_read_import,
    resolve=_resolve,
    shares_folder=True,
    test_stems=r".*(?:Tests?|TestCase)|.*[a-z]IT|Test[A-Z].*",
    spec_folders=False,
    test_readers=("maven", "gradle"),
    has_main=True,
)
