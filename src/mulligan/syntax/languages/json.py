"""JSON. It is not code, and only checked for syntax errors."""

from mulligan.syntax.language import Grammar, Language

LANGUAGE = Language("JSON", (Grammar("json", "tree_sitter_json", ("json", "jsonc")),))
