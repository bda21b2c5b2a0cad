"""What the pages for contributors name is there: files, folders, and classes of the glossary."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "mulligan"
PAGES = [ROOT / "docs" / "architecture.md", ROOT / "docs" / "extending.md", ROOT / "CONTRIBUTING.md"]
PLACEHOLDER = re.compile("NAME|GROUP|AGENT")
"""Stands for what a reader adds, or adds to: something like it has to exist."""

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"`((?!/)(?:[\w.*-]+/)+(?:[\w.*-]+)?|[\w*-]+\.(?:py|md|toml|ts|tsx|css))`")
_CLASS = re.compile(r"^\| `(\w+)` \| `([\w/]+\.py)` \|", re.MULTILINE)
A_PERSONS_OWN = {"mulligan.toml"}
"""Files that people have, and we do not."""


def paths_in(text: str) -> list[str]:
    """What stands in back quotes and reads like a path: with a slash, or with the ending of a source file."""
    return [path for path in _PATH.findall(_FENCE.sub("", text)) if path not in A_PERSONS_OWN]


def exists(path: str) -> bool:
    """From the top of the repository, or from the package on."""
    pattern = PLACEHOLDER.sub("*", path).rstrip("/")
    return any(next(folder.glob(pattern), None) is not None for folder in (ROOT, SOURCE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_exists(page: Path) -> None:
    named = paths_in(page.read_text(encoding="utf-8"))
    assert named
    assert [path for path in named if not exists(path)] == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("`core/guards.py` and `web/src/App.tsx`", ["core/guards.py", "web/src/App.tsx"], id="files"),
        pytest.param("`core/edits/`", ["core/edits/"], id="a folder"),
        pytest.param("`CHANGELOG.md`", ["CHANGELOG.md"], id="a file at the top"),
        pytest.param("`tests/core/test_NAME.py`", ["tests/core/test_NAME.py"], id="a placeholder"),
        pytest.param("`Session.answer`, `make test`, `/api/chats`, `mulligan.toml`, `--json`", [], id="no paths"),
        pytest.param("```text\n`core/guards.py`\n```\n", [], id="a block of code"),
    ],
)
def test_paths_are_told_from_other_code(text: str, paths: list[str]) -> None:
    assert paths_in(text) == paths


@pytest.mark.parametrize(
    ("path", "there"),
    [
        pytest.param("core/guards.py", True, id="in the package"),
        pytest.param("docs/drill.md", True, id="at the top"),
        pytest.param("tools/NAME.py", True, id="a placeholder with siblings"),
        pytest.param("core/guard.py", False, id="a wrong name"),
        pytest.param("tool/NAME.py", False, id="a placeholder in a folder that is not there"),
        pytest.param("tools/NAME.toml", False, id="a placeholder without siblings"),
    ],
)
def test_a_path_that_is_wrong_is_noticed(path: str, there: bool) -> None:
    assert exists(path) is there


def test_every_folder_of_the_package_is_in_the_table_of_packages() -> None:
    folders = {f"{made.parent.relative_to(SOURCE).as_posix()}/" for made in SOURCE.glob("*/**/__init__.py")}
    named = set(paths_in((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
    assert sorted(folders - named) == []


def test_the_classes_of_the_glossary_are_where_it_says() -> None:
    glossary = _CLASS.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert len(glossary) > 20
    wrong = [name for name, path in glossary if f"\nclass {name}" not in (SOURCE / path).read_text(encoding="utf-8")]
    assert wrong == []
