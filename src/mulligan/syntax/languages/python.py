"""Python."""

from collections.abc import Iterator

from mulligan.syntax.language import (
    Grammar,
    Language,
    RawImport,
    ResolutionContext,
    Resolved,
    Tracer,
    first_words,
)
from mulligan.syntax.project_paths import ProjectPaths, ancestors, under

_QUERY = """
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
(assignment left: (identifier) @name) @value
[(import_statement) (import_from_statement)] @import
[(comment) (string_content)] @text
"""
_STRINGS = r"\"\"\".*?\"\"\"|'''.*?'''|(?<![fF])\"(?:\\.|[^\"\\\n])*\"|(?<![fF])'(?:\\.|[^'\\\n])*'"


def _read_import(text: str) -> Iterator[RawImport]:
    module, imports, names = text.removeprefix("from ").partition(" import ")
    if imports and text.startswith("from "):
        yield RawImport("".join(module.split()), tuple(first_words(names.strip("() "))))
        return
    for module in first_words(text.removeprefix("import ")):
        yield RawImport(module)


def _resolve(path: str, raw: RawImport, around: ResolutionContext) -> Resolved:
    paths = around.paths
    dots = len(raw.module) - len(raw.module.lstrip("."))
    parts = [part for part in raw.module.split(".") if part]
    if dots:
        folder = ancestors(path)[min(dots - 1, path.count("/"))]
        roots = [folder]
    else:
        # Where Python would look: the project, its source folders, and the folders around a script.
        roots = [each for each in _roots(path, paths) if under(each, "__init__.py") not in paths.all]
    for root in roots:
        base = "/".join([*([root] if root else []), *parts])
        found = _module(base, paths)
        inside = [each for name in raw.names if (each := _module(under(base, name), paths))]
        if found or inside:
            facade = found is not None and found.endswith("/__init__.py")
            files = [found, *inside] if found else inside
            return Resolved(
                tuple(dict.fromkeys(files)), behind=base if facade else None, names_are_symbols=found is not None
            )
    if around.may_guess and parts and not dots:
        wanted = "/".join(parts)
        if only := paths.only_ending_in(f"{wanted}.py", f"{wanted}/__init__.py"):
            return Resolved((only,))
    return Resolved() if dots else Resolved(external=parts[0] if parts else None)


def _roots(path: str, paths: ProjectPaths) -> list[str]:
    around = ancestors(path)
    sources = [under(each, name) for each in around for name in ("src", "lib", "python")]
    return [*reversed(around), *(each for each in sources if each in paths.with_parents)]


def _module(base: str, paths: ProjectPaths) -> str | None:
    return paths.first(f"{base}/__init__.py", f"{base}.py", f"{base}.pyi", f"{base}/__init__.pyi")


LANGUAGE = Language(
    name="Python",
    grammars=(Grammar("python", "tree_sitter_python", ("py", "pyi", "pyw"), _QUERY),),
    interpreters=("python",),
    read_import=_read_import,
    resolve=_resolve,
    lists_names=True,
    facades=("__init__",),
    comment_marks=("#",),
    quotes_alike=True,
    strings=_STRINGS,
    docstrings=True,
    indented=True,
    test_stems=r"test_.*|.+_tests?|tests?|conftest",
    spec_folders=False,
    test_readers=("pytest", "unittest"),
    tracer=Tracer(
        "python_tracer.py",
        "sitecustomize.py",
        (("PYTHONPATH", "{folder}", ":"), ("PYTEST_PLUGINS", "sitecustomize", ",")),
    ),
    interrupter=Tracer(
        "python_interrupter.py",
        "sitecustomize.py",
        (("PYTHONPATH", "{folder}", ":"),),
        runners=("pytest", "unittest"),
    ),
    batch_runner=Tracer(
        "python_forks.py",
        "mulligan_forks.py",
        (("PYTHONPATH", "{folder}", ":"), ("PYTEST_PLUGINS", "mulligan_forks", ",")),
        runners=("pytest", "-m unittest"),
    ),
    entry_files={
        "__main__.py": "run by python -m",
        "manage.py": "Django management",
        "wsgi.py": "web application",
        "asgi.py": "web application",
        **dict.fromkeys(("main.py", "app.py", "cli.py"), "main module"),
    },
)
