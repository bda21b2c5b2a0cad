"""A user's permissions, hooks and formatters in whole turns: what a model gets, and what stands in the files."""

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import Script
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import CODE, RIGHT, make_repository, three_attempts
from tests.scripted_server import running

DONE = {"text": "Done."}
NEW = "def a():\n    return 1\n"
EDIT = {"path": "a.py", "old": "    return 'a'", "new": "    return 1"}

Code = Callable[..., Finished]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def settings(mulligan: Command) -> Callable[[str], None]:
    def write(text: str) -> None:
        mulligan.home.mkdir(exist_ok=True)
        (mulligan.home / "mulligan.toml").write_text(text)

    return write


@pytest.fixture
def code(mulligan: Command) -> Code:
    def run(*replies: dict[str, Any], yes: bool = False, verb: str = "code") -> Finished:
        with running(Script.model_validate({"replies": [*replies]})) as server:
            more = ("--yes",) if yes else ()
            return mulligan(verb, "--json", "--base-url", server.base_url, "--model", "m", *more, "change it")

    return run


def results(done: Finished) -> list[str]:
    return [frame["content"] for frame in done.frames if frame["type"] == "tool_result"]


def notes(done: Finished) -> list[str]:
    return [frame["text"] for frame in done.frames if frame["type"] == "run_note"]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], str]:
    """A program of the user's."""

    def write(name: str, text: str) -> str:
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return str(file)

    return write


def test_an_edit_that_is_denied_is_not_made_even_with_yes(mulligan: Command, settings: Any, code: Code) -> None:
    settings('[[permissions]]\ndecision = "deny"\ntool = "edit_file"\npath = "a.py"\n')
    other = {"path": "./b.py", "old": "    return 'b'", "new": "    return 2"}
    done = code(call("edit_file", **EDIT), call("edit_file", **other), DONE, yes=True)
    assert "a.py was not changed. By the user's rules" in results(done)[0]
    assert (mulligan.project / "a.py").read_text() == "def a():\n    return 'a'\n"
    assert "return 2" in (mulligan.project / "b.py").read_text()


def test_an_edit_that_is_allowed_is_applied_unasked(mulligan: Command, settings: Any, code: Code) -> None:
    settings('[[permissions]]\ndecision = "allow"\ntool = "edit_file"\npath = "a.*"\n')
    other = {"path": "b.py", "old": "    return 'b'", "new": "    return 2"}
    done = code(call("edit_file", **EDIT), call("edit_file", **other), DONE)
    assert (mulligan.project / "a.py").read_text() == NEW
    assert "'b'" in (mulligan.project / "b.py").read_text(), "it is pending"
    assert done.code == 6


def test_a_file_that_is_denied_is_neither_read_nor_found(mulligan: Command, settings: Any, code: Code) -> None:
    settings('[[permissions]]\ndecision = "deny"\npath = "notes/**"\n')
    (mulligan.project / "notes").mkdir()
    (mulligan.project / "notes" / "plan.py").write_text("the_plan = 'treasure'\n")
    (mulligan.project / "link.py").symlink_to("notes/plan.py")
    done = code(
        call("view_file", path="notes/plan.py"),
        call("view_file", path="link.py"),
        call("grep", pattern="treasure"),
        call("find_files", pattern="*.py"),
        call("run_command", command="cat notes/plan.py"),
        call("search_symbols", query="the_plan"),
        call("list_dir", path="."),
        call("list_dir", path="notes"),
        DONE,
    )
    assert "the_plan =" not in "".join(results(done))
    assert "notes/plan.py was not read. By the user's rules" in results(done)[0]
    assert "was not read" in results(done)[1]
    assert "notes/plan.py" not in results(done)[3]
    assert "which is denied by the user's rules" in results(done)[4]
    assert "a.py" in results(done)[6]
    assert "notes" not in results(done)[6]
    assert "link.py" not in results(done)[6]
    assert "notes was not read. By the user's rules" in results(done)[7]


def test_a_folder_in_a_message_does_not_show_what_is_denied_in_it(mulligan: Command, settings: Any) -> None:
    settings('[[permissions]]\ndecision = "deny"\npath = "*.sql"\n')
    (mulligan.project / "db").mkdir()
    (mulligan.project / "db" / "plan.sql").write_text("select 1;\n")
    (mulligan.project / "db" / "plan.py").write_text("x = 1\n")
    with running(Script.model_validate({"replies": [DONE]})) as server:
        mulligan.ask(server.base_url, prompt=["what is in @db/ ?"])
        sent = server.requests()[0]["body"]["messages"][-1]["content"]
    assert "plan.py" in sent
    assert "plan.sql" not in sent


def test_what_has_to_be_asked_about_is_not_done_without_a_user(settings: Any, code: Code) -> None:
    settings('[[permissions]]\ndecision = "ask"\ntool = "view_file"\npath = "a.py"\n')
    done = code(call("view_file", path="a.py:1"), call("view_file", path="b.py"), DONE, verb="ask")
    assert "needs the user's approval" in results(done)[0]
    assert "return 'b'" in results(done)[1]
    assert "return 'a'" in results(code(call("view_file", path="a.py"), DONE, yes=True))[0]


def test_a_tool_can_be_denied_as_a_whole(settings: Any, code: Code) -> None:
    settings('[[permissions]]\ndecision = "deny"\ntool = "gr*"\n')
    assert "grep was not called" in results(code(call("grep", pattern="a"), DONE, verb="ask"))[0]


def test_a_project_can_set_none_of_it(mulligan: Command, code: Code) -> None:
    for rows in ('permissions]]\ndecision = "allow"', 'hooks]]\nevent = "turn_end"', 'formatters]]\npath = "*"'):
        (mulligan.project / "mulligan.toml").write_text(f'[[{rows}\ncommand = "x"\n')
        done = code(DONE, verb="ask")
        assert (done.code, "can't be set in a project" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param('[[permissions]]\ndecision = "no"\ntool = "x"\n', "permissions row 1, decision,", id="a decision"),
        pytest.param('permissions = "deny"\n', "must be tables: [[permissions]]", id="no rows"),
        pytest.param('[[hooks]]\nevent = "sometimes"\ncommand = "x"\n', "hooks row 1, event,", id="an event"),
        pytest.param('[[formatters]]\npath = "{a"\ncommand = "x"\n', "not a valid glob", id="a glob"),
    ],
)
def test_a_row_that_is_wrong_says_where(settings: Any, code: Code, text: str, words: str) -> None:
    settings(text)
    done = code(DONE, verb="ask")
    assert (done.code, words in done.stderr) == (2, True), done.stderr


def test_a_hook_can_refuse_a_call_with_a_reason(
    mulligan: Command, settings: Any, code: Code, script: Any, tmp_path: Path
) -> None:
    hook = script(
        "hook", f'cat >> {tmp_path}/told; grep -q a.py {tmp_path}/told && echo "a.py is frozen" >&2 && exit 2; exit 0'
    )
    settings(f'[[hooks]]\nevent = "before_tool"\ntool = "edit_file"\ncommand = "{hook}"\n')
    done = code(call("edit_file", **EDIT), DONE, yes=True)
    assert results(done) == ["edit_file was not called: a hook of the user said no. a.py is frozen"]
    assert "'a'" in (mulligan.project / "a.py").read_text()
    told = json.loads((tmp_path / "told").read_text())
    assert (told["event"], told["tool"], told["paths"], told["agent"]) == (
        "before_tool",
        "edit_file",
        ["a.py"],
        "coder",
    )
    assert told["arguments"] == EDIT


def test_a_hook_about_a_file_is_not_dodged_by_how_the_path_is_spelt(
    mulligan: Command, settings: Any, code: Code
) -> None:
    (mulligan.project / "migrations").mkdir()
    (mulligan.project / "migrations" / "x.sql").write_text("select 1;\n")
    (mulligan.project / "link").symlink_to("migrations")
    settings(
        '[[hooks]]\nevent = "before_tool"\ntool = "edit_file"\npath = "migrations/**"\n'
        'command = "echo frozen >&2; exit 2"\n'
        '[[hooks]]\nevent = "after_edit"\npath = "b.py"\ncommand = "echo noted >&2; exit 2"\n'
    )
    spelt = ("/migrations/x.sql", "project/migrations/x.sql", "`migrations/x.sql`", "migrations\\x.sql", "link/x.sql")
    paths = (*spelt, "migrations/x.sql:1")
    edits = [call("edit_file", path=path, old="1", new="2") for path in paths]
    edits.append(call("edit_file", path="/b.py:1", old="'b'", new="2"))
    together = {"tool_calls": [each for edit in edits for each in edit["tool_calls"]]}
    *refused, noted = results(code(together, DONE, yes=True))
    assert refused == ["edit_file was not called: a hook of the user said no. frozen"] * len(paths)
    assert noted.endswith("a hook of the user says: noted")
    assert (mulligan.project / "migrations" / "x.sql").read_text() == "select 1;\n"


def test_a_hook_that_fails_or_hangs_is_no_yes(settings: Any, code: Code) -> None:
    for command in ("exit 7", "sleep 60"):
        settings(f'[[hooks]]\nevent = "before_tool"\ntool = "view_file"\ncommand = "{command}"\ntimeout = 0.2\n')
        done = code(call("view_file", path="a.py"), DONE, verb="ask")
        assert "so nobody has checked it" in results(done)[0]
        assert "hook" in done.stderr


def test_what_a_hook_says_after_an_edit_reaches_the_model(settings: Any, code: Code, script: Any) -> None:
    hook = script("hook", 'echo \'{"decision": "deny", "reason": "add a changelog entry"}\'')
    settings(f'[[hooks]]\nevent = "after_edit"\npath = "*.py"\ncommand = "{hook}"\n')
    done = code(call("edit_file", **EDIT), call("view_file", path="a.py"), DONE)
    assert results(done)[0].endswith("It is done, but a hook of the user says: add a changelog entry")
    assert "hook" not in results(done)[1]


def test_a_hook_can_send_the_model_back_to_work_once(settings: Any, code: Code, tmp_path: Path) -> None:
    settings(f'[[hooks]]\nevent = "turn_end"\ncommand = "cat >> {tmp_path}/told; echo run the tests >&2; exit 2"\n')
    done = code(DONE, call("view_file", path="a.py"), {"text": "Really done."}, verb="ask")
    assert (done.code, done.end["stop_reason"]) == (0, "answered")
    assert "return 'a'" in results(done)[0]
    told = [json.loads(each) for each in (tmp_path / "told").read_text().replace("}{", "}\n{").splitlines()]
    assert [each["answer"] for each in told] == ["Done.", "Really done."]


def test_a_formatter_is_part_of_the_change(mulligan: Command, settings: Any, code: Code) -> None:
    settings('[[formatters]]\npath = "*.py"\ncommand = "sed s/returned/return/"\n')
    wrong = {**EDIT, "new": "    returned 1"}
    done = code(call("edit_file", **wrong), call("create_file", path="new.py", content="returned\n"), DONE)
    assert "Formatted by the user's `sed s/returned/return/`." in results(done)[0]
    assert "+    return 1" in results(done)[0]
    assert "'a'" in (mulligan.project / "a.py").read_text(), "nothing is written before the yes"
    assert mulligan("changes", "apply").code == 0
    assert (mulligan.project / "a.py").read_text() == NEW
    assert (mulligan.project / "new.py").read_text() == "return\n"
    assert mulligan("changes", "revert", "--all").code == 0
    assert "'a'" in (mulligan.project / "a.py").read_text()


def test_a_formatter_that_fails_loses_nothing(mulligan: Command, settings: Any, code: Code) -> None:
    for command, words in (
        ("exit 3", "exit code 3"),
        ("no-such-program-here", "was not found"),
        ("true", "printed no text"),
    ):
        settings(f'[[formatters]]\npath = "*.py"\ncommand = "{command}"\n')
        done = code(call("edit_file", **EDIT), DONE, yes=True)
        assert (words in results(done)[0], (mulligan.project / "a.py").read_text()) == (True, NEW), results(done)
        (mulligan.project / "a.py").write_text("def a():\n    return 'a'\n")


def test_hooks_and_rules_hold_in_a_repository_too(mulligan: Command, settings: Any, code: Code) -> None:
    """With git, commands see pending edits in a work tree, and what they change there is staged."""
    subprocess.run(["git", "init", "-q"], cwd=mulligan.project, check=True)
    settings('[[permissions]]\ndecision = "deny"\npath = "b.py"\n')
    done = code(call("edit_file", **EDIT), call("run_command", command="sed -i s/def/async/ *.py"), DONE)
    assert "b.py" not in [
        change["path"] for change in map(json.loads, mulligan("changes", "--json").stdout.splitlines())
    ]
    assert done.code in (4, 6)
    assert "'b'" in (mulligan.project / "b.py").read_text()
    assert "def b" in (mulligan.project / "b.py").read_text()


GUIDED = [{"text": "1: sum(items)", "times": 60}]
DENY_TOTALS = '[[permissions]]\ndecision = "deny"\ntool = "edit_file"\npath = "totals.py"\n'


@pytest.mark.parametrize("agency", ["agent", "guided"])
def test_a_fix_run_does_not_change_what_is_denied(mulligan: Command, settings: Any, agency: str) -> None:
    repository = make_repository(mulligan)
    settings(DENY_TOTALS)
    replies = three_attempts(RIGHT) if agency == "agent" else GUIDED
    done = repository.fix(replies, "--yes", "--agency", agency)
    assert done.end["verdict"] == "failed"
    assert repository.code == CODE
    assert repository.git("status", "--porcelain") == ""


def test_what_a_guided_fix_run_leaves_is_shown_to_hooks(mulligan: Command, settings: Any, tmp_path: Path) -> None:
    repository = make_repository(mulligan)
    settings(
        f'[[hooks]]\nevent = "before_tool"\npath = "totals.py"\ncommand = "cat > {tmp_path}/before"\n'
        f'[[hooks]]\nevent = "after_edit"\npath = "*.py"\ncommand = "cat > {tmp_path}/after; echo look >&2; exit 2"\n'
    )
    done = repository.fix(GUIDED, "--yes", "--agency", "guided")
    assert done.end["verdict"] == "verified", done.stdout
    told = [json.loads((tmp_path / name).read_text()) for name in ("before", "after")]
    assert [(each["tool"], each["paths"], each["agent"]) for each in told] == [
        ("edit_file", ["totals.py"], "coder")
    ] * 2
    assert "totals.py: a hook of the user says: look" in notes(done)


def test_what_a_hook_refuses_a_guided_fix_run_does_not_leave(mulligan: Command, settings: Any) -> None:
    repository = make_repository(mulligan)
    settings('[[hooks]]\nevent = "before_tool"\npath = "totals.py"\ncommand = "echo frozen >&2; exit 2"\n')
    done = repository.fix(GUIDED, "--yes", "--agency", "guided")
    assert done.end["verdict"] == "failed", done.stdout
    assert "Restored: totals.py (a hook of the user said no: frozen)." in notes(done)
    assert repository.code == CODE
    assert repository.git("status", "--porcelain") == ""


def test_what_a_command_of_a_fix_run_does_to_it_is_taken_back(mulligan: Command, settings: Any) -> None:
    repository = make_repository(mulligan)
    settings(DENY_TOTALS)
    done = repository.fix(three_attempts(call("run_command", command="sed -i 's/ + 1//' totals.py")), "--yes")
    assert done.end["verdict"] == "failed"
    assert any("totals.py (it is denied by the user's rules)" in text for text in notes(done))
    assert repository.code == CODE
