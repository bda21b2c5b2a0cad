"""Imports go one way. Rooms on one level do not know each other: what one needs of another is a Protocol in `ports`."""

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
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "__init__.py")


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative imports hide the room"
            if node.module == "mulligan":
                names.update(f"mulligan.{alias.name}" for alias in node.names)
            names.add(node.module)
    return {name.split(".")[1] for name in names if name.startswith("mulligan.")} - {"__version__"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_rooms_below_its_own(path: Path) -> None:
    room = room_of(path)
    assert room in LEVEL, f"{room} has no place in the house"
    wrong = {other for other in imported_rooms(path) - {room} if LEVEL[other] >= LEVEL[room]}
    assert not wrong, f"{path.relative_to(SOURCE)} may not import {sorted(wrong)}"


PURE_MAY_IMPORT = {
    "abc", "ast", "bisect", "collections", "contextlib", "dataclasses", "difflib", "enum", "fnmatch", "functools",
    "hashlib", "inspect", "itertools", "json", "math", "operator", "pathlib", "posixpath", "re", "shlex",
    "string", "struct", "textwrap", "types", "typing", "unicodedata", "json_repair", "mulligan", "pydantic",
    "pydantic_core", "rapidfuzz", "tree_sitter", "tree_sitter_bash",
}  # fmt: skip
"""`pathlib` for paths as values: a pure room joins and compares them, and never looks at the disk."""


@pytest.mark.parametrize("room", ["core", "types"])
def test_the_pure_rooms_import_nothing_that_reaches_outside(room: str) -> None:
    found: dict[str, set[str]] = {}
    for path in (SOURCE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not isinstance(node, ast.AsyncFunctionDef), f"{path}: decisions are not async"
            for name in names:
                found.setdefault(name.split(".")[0], set()).add(path.name)
    assert not {name: files for name, files in found.items() if name not in PURE_MAY_IMPORT}
