"""`mulligan code` as a script sees it: what stands in the file afterwards, to the byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.scripted_server import running

BEFORE = """\
import os


def load(path, limit=10):
    if not path:
        raise ValueError("no path — given")
    name = "it's"
    for row in range(limit):
        print(row, name)
    return path


def save(path):
    return path
"""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def code(mulligan: Command, replies: list[dict[str, Any]], *more: str, goal: str = "change it") -> Finished:
    with running(Script.model_validate({"replies": replies})) as server:
        return mulligan("code", "--json", "--base-url", server.base_url, "--model", "m", *more, goal)


@pytest.fixture
def file(mulligan: Command) -> Path:
    path = mulligan.project / "load.py"
    path.write_text(BEFORE, encoding="utf-8")
    return path


def results(done: Finished) -> list[dict[str, Any]]:
    return [frame for frame in done.frames if frame["type"] == "tool_result"]


LOOP = (
    "    for row in range(limit):\n        print(row, name)\n",
    "    for row in range(limit):\n        show(row, name)\n",
)
RAISE = ('        raise ValueError("no path — given")', '        raise KeyError("no path — given")')


def drifted(pair: tuple[str, str], *changes: tuple[str, str]) -> tuple[str, str]:
    old, new = pair
    for was, becomes in changes:
        assert was in old, f"the drift {was!r} changes nothing"
        old, new = old.replace(was, becomes), new.replace(was, becomes)
    return old, new


def each_line(pair: tuple[str, str], mark: str, first: int = 0) -> tuple[str, str]:
    old, new = (
        "\n".join(mark.format(n=number) + line for number, line in enumerate(text.rstrip("\n").split("\n"), first))
        for text in pair
    )
    return old, new


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(LOOP, LOOP, id="as it is"),
        pytest.param(drifted(LOOP, ("    ", "\t")), LOOP, id="tabs for spaces"),
        pytest.param(drifted(LOOP, ("    ", "  ")), LOOP, id="two-space indent"),
        pytest.param(drifted(LOOP, ("\n", "   \n")), LOOP, id="trailing spaces"),
        pytest.param(each_line(LOOP, "        "), LOOP, id="over-indented block"),
        pytest.param(drifted(RAISE, ('("', "(“"), ('")', "”)")), RAISE, id="curly quotes in old and new"),
        pytest.param(drifted(RAISE, ("—", "\N{EN DASH}")), RAISE, id="en dash"),
        pytest.param(drifted(LOOP, ("for row", "for\u00a0row")), LOOP, id="no-break space"),
        pytest.param(drifted(LOOP, ("\n", "\\n")), LOOP, id="literal backslash n"),
        pytest.param(each_line(LOOP, "{n}: ", 8), LOOP, id="line numbers"),
        pytest.param(drifted(LOOP, ("row, name", "row,  name")), LOOP, id="inner spacing"),
    ],
)
def test_an_edit_that_drifted_ends_in_a_file_exact_to_the_byte(
    edit: tuple[str, str], expected: tuple[str, str], mulligan: Command, file: Path
) -> None:
    old, new = edit
    done = code(mulligan, [call("edit_file", path="load.py", old=old, new=new), {"text": "Done."}], "--yes")
    assert done.end["stop_reason"] == "answered", done.stderr
    assert file.read_bytes() == BEFORE.replace(*expected).encode(), results(done)
    assert done.code == 0


def test_a_text_that_stands_twice_is_refused_and_both_places_are_named(mulligan: Command, file: Path) -> None:
    edit = call("edit_file", path="load.py", old="    return path", new="    return None")
    done = code(mulligan, [edit, {"text": "Done."}], "--yes")
    (result,) = results(done)
    assert result["failure"] == "exec_error"
    assert "10" in result["content"]
    assert "14" in result["content"]
    assert file.read_text(encoding="utf-8") == BEFORE


def test_done_is_not_believed_while_an_edit_is_refused(mulligan: Command, file: Path) -> None:
    edit = call("edit_file", path="load.py", old="nothing of the sort stands here", new="x")
    done = code(mulligan, [edit, {"text": "All done."}, {"text": "All done, really."}], "--yes")
    assert (done.end["stop_reason"], done.end["unapplied"], done.code) == ("answered", ["load.py"], 4)
    assert "not done" in done.end["explanation"]
    assert file.read_text(encoding="utf-8") == BEFORE


def test_without_yes_the_file_stays_and_the_change_waits(mulligan: Command, file: Path) -> None:
    old, new = LOOP
    done = code(mulligan, [call("edit_file", path="load.py", old=old, new=new), {"text": "Done."}])
    assert (done.end["pending"], done.code) == (1, 6)
    assert file.read_text(encoding="utf-8") == BEFORE
    (change,) = [frame for frame in done.frames if frame["type"] == "change"]
    assert (change["path"], change["kind"], change["status"]) == ("load.py", "edit", "pending")

    applied = mulligan("changes", "apply", "--json")
    assert applied.code == 0
    assert json.loads(applied.stdout.splitlines()[-1])["success"]
    assert file.read_text(encoding="utf-8") == BEFORE.replace(old, new)
    assert mulligan("changes", "revert", "--all").code == 0
    assert file.read_text(encoding="utf-8") == BEFORE


def test_the_agent_sees_what_it_staged_and_the_disk_does_not(mulligan: Command, file: Path) -> None:
    replies = [
        call("edit_file", path="load.py", old="import os", new="import sys"),
        call("view_file", path="load.py", end_line=2),
        call("grep", pattern="^import"),
        call("create_file", path="new/made.py", content="x = 1\n"),
        call("find_files", pattern="*.py"),
        {"text": "Done."},
    ]
    done = code(mulligan, replies)
    _, viewed, grepped, _, found = (result["content"] for result in results(done))
    assert "import sys" in viewed
    assert "load.py:1: import sys" in grepped
    assert "import os" not in grepped
    assert "new/made.py" in found
    assert (file.read_text(encoding="utf-8"), (mulligan.project / "new").exists()) == (BEFORE, False)
    assert (done.end["pending"], done.code) == (2, 6)


def test_an_edit_that_breaks_the_syntax_comes_back_with_the_place(mulligan: Command, file: Path) -> None:
    edit = call("edit_file", path="load.py", old="def save(path):", new="def save(path:")
    fix = call("edit_file", path="load.py", old="def save(path:", new="def save(path):")
    done = code(mulligan, [edit, fix, {"text": "Done."}], "--yes")
    broken, fixed = (result["content"] for result in results(done))
    assert "syntax error" in broken
    assert "line 13" in broken
    assert "syntax error" not in fixed
    assert file.read_text(encoding="utf-8") == BEFORE


def test_an_edit_that_is_there_already_is_a_success(mulligan: Command, file: Path) -> None:
    edit = call(
        "edit_file", path="load.py", old="def store(path):\n    return path", new="def save(path):\n    return path"
    )
    done = code(mulligan, [edit, {"text": "Done."}], "--yes")
    (result,) = results(done)
    assert ("failure" in result, done.code) == (False, 0)
    assert file.read_text(encoding="utf-8") == BEFORE


def test_a_command_without_git_runs_in_the_project_and_says_what_it_did_not_see(mulligan: Command, file: Path) -> None:
    replies = [
        call("edit_file", path="load.py", old="import os", new="import sys"),
        call("run_command", command="head -1 load.py"),
        {"text": "Done."},
    ]
    done = code(mulligan, replies)
    _, ran = (result["content"] for result in results(done))
    assert "import os" in ran
    assert ran.startswith("NOT SEEN by this command: 1 pending edit.")
    assert file.read_text(encoding="utf-8") == BEFORE


@pytest.mark.parametrize(
    ("command", "yes", "failure"),
    [
        pytest.param("touch made.txt", False, "permission_denied", id="asked, nobody there"),
        pytest.param("touch made.txt", True, None, id="asked, yes in advance"),
        pytest.param("sudo touch made.txt", True, "permission_denied", id="denied whatever was said"),
        pytest.param("ls no-such-file", True, "exec_error", id="exits non-zero"),
    ],
)
def test_the_policy_decides_which_commands_run(command: str, yes: bool, failure: str | None, mulligan: Command) -> None:
    done = code(mulligan, [call("run_command", command=command), {"text": "Done."}], *(["--yes"] if yes else []))
    (result,) = results(done)
    assert result.get("failure") == failure, result["content"]
    assert (mulligan.project / "made.txt").exists() == (failure is None)


def test_a_command_finds_the_tools_of_the_project(mulligan: Command) -> None:
    tool = mulligan.project / ".venv" / "bin" / "count-books"
    tool.parent.mkdir(parents=True)
    (mulligan.project / ".venv" / "pyvenv.cfg").touch()
    tool.write_text("#!/bin/sh\necho 12 books\n")
    tool.chmod(0o755)
    done = code(mulligan, [call("run_command", command="count-books"), {"text": "Done."}], "--yes")
    (result,) = results(done)
    assert "12 books" in result["content"]


def test_several_edits_in_one_call_are_all_made_or_none(mulligan: Command, file: Path) -> None:
    first = {"old": "import os", "new": "import sys"}
    good = {"old": "def save(path):", "new": "def keep(path):"}
    bad = {"old": "no such line at all in here", "new": "x"}
    replies = [
        call("edit_file", path="load.py", edits=[first, bad]),
        call("edit_file", path="load.py", edits=[first, good]),
        {"text": "Done."},
    ]
    done = code(mulligan, replies, "--yes")
    assert [result.get("failure") for result in results(done)] == ["exec_error", None]
    assert file.read_text(encoding="utf-8") == BEFORE.replace("import os", "import sys").replace("save", "keep")


def test_three_refused_edits_in_a_row_are_nudged_and_six_stop_the_turn(mulligan: Command, file: Path) -> None:
    replies = [call("edit_file", path="load.py", old=f"missing line number {n} of many", new="x") for n in range(9)]
    done = code(mulligan, [*replies], "--yes")
    assert (done.end["stop_reason"], done.code) == ("mistakes", 3)
    assert file.read_text(encoding="utf-8") == BEFORE


def test_a_command_sees_the_edits_that_stand_before_it_in_the_same_reply(mulligan: Command, file: Path) -> None:
    calls = [
        {"name": "edit_file", "arguments": {"path": "load.py", "old": "import os", "new": "import sys"}},
        {"name": "run_command", "arguments": {"command": "head -1 load.py"}},
    ]
    done = code(mulligan, [{"tool_calls": calls}, {"text": "Done."}], "--yes")
    (ran,) = [result["content"] for result in results(done) if result["name"] == "run_command"]
    assert "import sys" in ran
    assert file.read_text(encoding="utf-8").startswith("import sys")
