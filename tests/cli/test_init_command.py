"""`mulligan init`: it writes a first AGENTS.md, and never over one that is there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]


@pytest.fixture
def tested(project: Path) -> Path:
    (project / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.11"\n[tool.pytest.ini_options]\n')
    return project


def test_it_writes_what_the_files_say(run: Start, tested: Path) -> None:
    done = run("init")
    written = (tested / "AGENTS.md").read_text()
    assert (done.returncode, done.stdout) == (0, f"wrote {tested}/AGENTS.md ({len(written.splitlines())} lines)\n")
    assert "- Test: `python3 -m pytest` (pytest is configured in pyproject.toml)" in written
    assert "- Python `>=3.11` (pyproject.toml)" in written


def test_print_writes_nothing(run: Start, tested: Path) -> None:
    done = run("init", "--print", "--json")
    told = json.loads(done.stdout)
    assert told["written"] is False
    assert told["text"].startswith(f"# Working on {tested.name}\n")
    assert run("init", "--print").stdout == told["text"]
    assert not (tested / "AGENTS.md").exists()


def test_a_file_that_is_there_is_replaced_only_after_a_yes(run: Start, tested: Path) -> None:
    mine = tested / "AGENTS.md"
    mine.write_text("Mine.\n")
    refused = run("init")
    assert refused.returncode == 2
    assert "already exists" in refused.stderr
    waiting = run("init", "--force")
    assert waiting.returncode == 6
    assert "-Mine.\n" in waiting.stdout
    assert mine.read_text() == "Mine.\n"
    assert run("init", "--force", "--yes").returncode == 0
    assert mine.read_text().startswith("# Working on ")


def test_a_link_is_never_written_through(run: Start, tested: Path, tmp_path: Path) -> None:
    (tested / "AGENTS.md").symlink_to(tmp_path / "elsewhere.md")
    done = run("init", "--force", "--yes")
    assert done.returncode == 2
    assert "symbolic link" in done.stderr
    assert not (tmp_path / "elsewhere.md").exists()
