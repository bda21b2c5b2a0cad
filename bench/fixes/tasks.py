"""The bugs: little projects whose tests fail, each with the change that fixes it."""

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.harness import commit_all

NEEDS = {"python": "python3", "javascript": "node", "go": "go"}
"""The program without which a language's tasks can't be run."""
TESTS = {"python": ("pytest", "-q"), "javascript": ("node", "--test"), "go": ("go", "test", "./...")}
"""The command that Mulligan finds in a project of that language, and judges it by."""
HALVES = ("tuned", "larger", "fresh")
"""`tuned` and `larger`: seen while the recipe was made, in small and in larger projects. `fresh`: written after it was
fixed."""


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    language: str
    bug: str
    """What is wrong, in a few words."""
    half: str
    files: dict[str, str]
    cure: tuple[tuple[str, str, str], ...]
    """Path, old text, new text: proof that the task can be solved, never shown to the model."""
    verify: str = ""
    """The command that judges it, where it is not found by itself."""
    hidden: dict[str, str] = field(default_factory=dict[str, str])
    """More tests, by path, that are never shown to whoever fixes the bug: a change that passes the others by chance
    fails here."""

    def write(self, folder: Path) -> None:
        """Make it a git repository of its own, without the hidden tests."""
        _write(self.files, folder)
        commit_all(folder)

    def write_hidden(self, folder: Path) -> None:
        """Once it is fixed."""
        _write(self.hidden, folder)

    def fix(self, folder: Path) -> None:
        for path, old, new in self.cure:
            text = (folder / path).read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: {old!r} stands {text.count(old)} times in {path}")
            (folder / path).write_text(text.replace(old, new), encoding="utf-8")

    @property
    def runs_here(self) -> bool:
        return shutil.which(NEEDS[self.language]) is not None


def load_tasks(half: str = "all", file: Path | None = None) -> list[Task]:
    """Those of a file count as fresh."""
    if file:
        return [_task(each, "fresh") for each in _read(file)]
    halves = HALVES if half == "all" else (half,)
    return [_task(each, name) for name in halves for each in _read(Path(__file__).with_name(f"{name}.toml"))]


def _read(file: Path) -> list[dict[str, Any]]:
    return tomllib.loads(file.read_text(encoding="utf-8")).get("tasks", [])


def _task(data: dict[str, Any], half: str) -> Task:
    cure = tuple((each["path"], each["old"], each["new"]) for each in data["cure"])
    files, hidden = _texts(data["files"]), _texts(data.get("hidden", {}))
    return Task(data["name"], data["language"], data["bug"], half, files, cure, hidden=hidden)


def _texts(table: Mapping[str, str]) -> dict[str, str]:
    return {path: text.lstrip("\n") for path, text in table.items()}


def _write(texts: Mapping[str, str], folder: Path) -> None:
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
