"""Imports go one way. Packages on one level do not import each other: what they share is a Protocol in `ports`."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "mulligan"

LEVELS: list[set[str]] = [
    {"types"},
    {"ports", "runtime", "syntax"},
    {"core"},
    {"models", "tools", "codecontext", "workspace", "backends", "mcp_client", "store"},
    {"loop", "fixing"},
    {"app"},
    {"server", "drill", "proxy", "acp", "fleet", "mcp_server"},
    {"cli"},
    {"__main__"},
]
LEVEL = {package: level for level, packages in enumerate(LEVELS) for package in packages}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "__init__.py")


def package_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported_packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative imports hide the package"
            if node.module == "mulligan":
                names.update(f"mulligan.{alias.name}" for alias in node.names)
            names.add(node.module)
    return {name.split(".")[1] for name in names if name.startswith("mulligan.")} - {"__version__"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_packages_below_its_own(path: Path) -> None:
    package = package_of(path)
    assert package in LEVEL, f"{package} is on no level"
    wrong = {other for other in imported_packages(path) - {package} if LEVEL[other] >= LEVEL[package]}
    assert not wrong, f"{path.relative_to(SOURCE)} may not import {sorted(wrong)}"


PURE_MAY_IMPORT = {
    "abc", "ast", "bisect", "collections", "contextlib", "dataclasses", "difflib", "enum", "fnmatch", "functools",
    "hashlib", "inspect", "itertools", "json", "keyword", "math", "operator", "pathlib", "posixpath", "re", "shlex",
    "string", "struct", "textwrap", "types", "typing", "unicodedata", "warnings", "json_repair", "mulligan", "pydantic",
    "pydantic_core", "rapidfuzz", "tree_sitter", "tree_sitter_bash",
}  # fmt: skip
"""`pathlib` for paths as values: a pure package joins and compares them, and never looks at the disk."""


@pytest.mark.parametrize("package", ["core", "types"])
def test_the_pure_packages_import_nothing_that_reaches_outside(package: str) -> None:
    found: dict[str, set[str]] = {}
    for path in (SOURCE / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not isinstance(node, ast.AsyncFunctionDef), f"{path}: decisions are not async"
            for name in names:
                found.setdefault(name.split(".")[0], set()).add(path.name)
    assert not {name: files for name, files in found.items() if name not in PURE_MAY_IMPORT}
