"""JavaScript and TypeScript, whose files import each other."""

import re
from collections.abc import Iterator

from mulligan.syntax.language import Grammar, Language, RawImport, ResolutionContext, Resolved, Tracer, first_words
from mulligan.syntax.project_paths import ProjectPaths, joined, under

_BOTH = """
(class_declaration name: (_) @name) @class
[(function_declaration name: (_) @name) (generator_function_declaration name: (_) @name)] @function
(method_definition name: (_) @name) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(program (variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @function))
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (class)) @class))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (class)) @class))
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @value)
  (variable_declaration (variable_declarator name: (identifier) @name) @value)])
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(export_statement "default" @name value: [(arrow_function) (function_expression)] @function)
(export_statement "default" @name value: (class) @class)
(program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @function))
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: [(identifier) (import)] @_called arguments: (arguments . (string))
  (#any-of? @_called "require" "import")) @import
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @local
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @local
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @local
[(comment) (string_fragment) (regex_pattern)] @text
"""
_JAVASCRIPT_ONLY = """
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
"""
_TYPED = "tree_sitter_typescript"
_TYPESCRIPT_ONLY = """
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(abstract_class_declaration name: (_) @name) @class
(abstract_method_signature name: (_) @name) @prototype
(interface_declaration name: (_) @name) @interface
(interface_body (method_signature name: (_) @name) @prototype)
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(function_signature name: (_) @name) @prototype
"""
_TYPESCRIPT = _BOTH + _TYPESCRIPT_ONLY
_ENDS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte")


def _read_import(text: str) -> Iterator[RawImport]:
    sources = re.findall(r"""["'`]([^"'`]+)["'`]""", text)
    if not sources:
        return
    if not text.startswith(("import ", "import{", "export", "import*", "import'", 'import"')):
        yield RawImport(sources[0])
        return
    clause = re.sub(r"^(?:import|export)\s*(?:type\s+)?", "", text).partition(" from ")[0]
    inside, closed, _ = clause.partition("{")[2].partition("}")
    names = [name.removeprefix("type ") for name in (inside.split(",") if closed else [])]
    default = re.match(r"(\w+)\s*(?:,|$)", clause)
    named = first_words(",".join(name.strip() for name in names))
    yield RawImport(sources[-1], (*([default[1]] if default else []), *named))


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    module = raw.module
    if module.startswith("."):
        found = _script(joined(path, module), around.paths)
        return Resolved((found,), behind=_behind_index(found)) if found else Resolved()
    for prefix, target in around.aliases:
        if module.startswith(prefix) and (found := _script(target + module[len(prefix) :], around.paths)):
            return Resolved((found,), behind=_behind_index(found))
    parts = module.split("/")
    package = "/".join(parts[:2] if module.startswith("@") else parts[:1])
    folder = around.node_packages.get(package)
    if folder is not None:
        rest = module[len(package) + 1 :]
        bases = [under(folder, rest)] if rest else [under(folder, "src/index"), under(folder, "index")]
        for base in bases:
            if found := _script(base, around.paths):
                return Resolved((found,), behind=_behind_index(found))
    # An alias of the project for a folder that is unknown here.
    if around.may_guess and module.startswith(("@/", "~/", "#", "src/")):
        found = around.paths.only_ending_in(*_spellings(module.lstrip("@~#").lstrip("/")))
        return Resolved((found,)) if found else Resolved()
    return Resolved(external=package.removeprefix("node:"))


def _script(base: str, paths: ProjectPaths) -> str | None:
    return paths.first(*_spellings(base))


def _spellings(base: str) -> list[str]:
    without_ending = re.sub(r"\.(?:js|jsx|mjs|cjs)$", "", base)
    files = [stem + end for stem in dict.fromkeys((base, without_ending)) for end in _ENDS]
    return [*files, *(f"{base}/index{end}" for end in _ENDS[1:])]


def _behind_index(found: str) -> str | None:
    folder, _, name = found.rpartition("/")
    return folder if name.startswith("index.") and folder else None


LANGUAGE = Language(
    name="JavaScript",
    grammars=(
        Grammar("javascript", "tree_sitter_javascript", ("js", "mjs", "cjs", "jsx"), _BOTH + _JAVASCRIPT_ONLY),
        Grammar("typescript", _TYPED, ("ts", "mts", "cts"), _TYPESCRIPT, "TypeScript", (), "language_typescript"),
        Grammar("tsx", _TYPED, ("tsx",), _TYPESCRIPT, "TypeScript", (), "language_tsx"),
    ),
    interpreters=("node",),
    read_import=_read_import,
    resolve=_resolve,
    import_settings=frozenset({"package.json", "tsconfig.json", "jsconfig.json"}),
    lists_names=True,
    facades=("index",),
    test_stems=r"test_.*|.+_tests?|tests?|.+[.-](?:test|spec|cy|e2e)|.+_spec",
    quotes_alike=True,
    titled_tests=True,
    node_kinds={"lexical_declaration": "expression", "variable_declaration": "expression", "else_clause": "else"},
    test_readers=("vitest", "jest", "mocha", "node"),
    tracer=Tracer("node_tracer.cjs", "tracer.cjs", (("NODE_OPTIONS", "--require={folder}/tracer.cjs", " "),)),
    batch_runner=Tracer(
        "node_workers.cjs",
        "workers.cjs",
        (("NODE_OPTIONS", "--require={folder}/workers.cjs", " "),),
        runners=("--test-name-pattern",),  # of Node's own runner: no other has this option
    ),
    entry_files={
        f"{name}.{end}": "main module"
        for name in ("main", "app", "server", "cli")
        for end in ("js", "mjs", "ts", "tsx", "jsx")
    },
)
SCRIPTS = tuple(f".{extension}" for grammar in LANGUAGE.grammars for extension in grammar.extensions)
