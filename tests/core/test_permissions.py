"""One decision for every use of a tool: deny wins, then ask, then allow."""

import pytest

from mulligan.core.permissions import ReadingRules, ToolUse, concerns, judge_use, reading_rules
from mulligan.core.sandbox.approval import decide
from mulligan.types.base import InvalidRecord
from mulligan.types.commands import Decision
from mulligan.types.permissions import PermissionRule, Permissions
from mulligan.types.sandbox import Confinement


def table(*rows: str) -> Permissions:
    """`deny edit_file path=src/**`"""
    rules: list[PermissionRule] = []
    for row in rows:
        decision, tool, *rest = row.split(maxsplit=2)
        named = dict([rest[0].split("=", 1)]) if rest else {}
        rules.append(PermissionRule.model_validate({"decision": decision, "tool": tool, **named}))
    return Permissions(tuple(rules))


def edit(path: str) -> ToolUse:
    return ToolUse("edit_file", paths=(path,))


def view(path: str) -> ToolUse:
    return ToolUse("view_file", paths=(path,))


def run(command: str) -> ToolUse:
    return ToolUse("run_command", command)


@pytest.mark.parametrize(
    ("use", "rows", "decision"),
    [
        pytest.param(edit("a.py"), (), "ask", id="a change waits"),
        pytest.param(view("a.py"), (), "allow", id="reading is allowed"),
        pytest.param(ToolUse("ask_user"), (), "allow", id="so is what changes nothing"),
        pytest.param(edit("docs/a.md"), ("allow edit_file path=docs/**",), "allow", id="a folder"),
        pytest.param(edit("src/a.py"), ("allow edit_file path=docs/**",), "ask", id="another folder"),
        pytest.param(edit("a/b/c.sql"), ("deny * path=*.sql",), "deny", id="a name at any depth"),
        pytest.param(edit("a.py"), ("deny *_file",), "deny", id="tools by pattern"),
        pytest.param(view("a.py"), ("deny edit_file",), "allow", id="another tool"),
        pytest.param(edit("x.py"), ("allow edit_file", "deny * path=x.py"), "deny", id="deny wins"),
        pytest.param(edit("x.py"), ("deny * path=x.py", "allow edit_file"), "deny", id="in whatever order"),
        pytest.param(view("x.py"), ("allow view_file", "ask * path=x.py"), "ask", id="ask wins over allow"),
        pytest.param(view("private"), ("deny * path=private/**",), "deny", id="the folder itself"),
        pytest.param(run("ls"), (), "allow", id="a command by what it does"),
        pytest.param(run("ls"), ("deny run_command command=ls",), "deny", id="a command that is denied"),
        pytest.param(run("ls -l"), ("ask * command=ls",), "ask", id="a command that is asked about"),
        pytest.param(run("make deploy"), ("allow * command=make d*",), "allow", id="words by pattern"),
        pytest.param(run("make test"), ("deny * command=make d*",), "allow", id="other words"),
        pytest.param(run("sudo ls"), ("allow * command=sudo",), "deny", id="never what the policy denies"),
        pytest.param(
            run("npm ci"), ("allow * command=npm", "deny * command=npm ci"), "deny", id="of two, the stricter"
        ),
        pytest.param(run("cat private/a"), ("deny * path=private/**",), "deny", id="a command that names a file"),
        pytest.param(run("cd private && cat a"), ("deny * path=private/**",), "deny", id="from within its folder"),
        pytest.param(run("wc < private/a"), ("deny * path=private/**",), "deny", id="by a redirection"),
        pytest.param(run("echo x > private/a"), ("deny run_command path=private/**",), "deny", id="written to"),
        pytest.param(run("grep x --file=private/a b"), ("deny * path=private/**",), "deny", id="in an option"),
        pytest.param(run("cat other/a"), ("deny * path=private/**",), "allow", id="another file"),
        pytest.param(run("cat private/a"), ("deny edit_file path=private/**",), "allow", id="a row about edits"),
        pytest.param(run("frobnicate docs/a"), ("allow * path=docs/**",), "ask", id="a file allows no command"),
    ],
)
def test_what_is_decided(use: ToolUse, rows: tuple[str, ...], decision: Decision) -> None:
    assert judge_use(use, table(*rows), project="/project").decision == decision


def test_the_verdict_names_the_rows_that_decided() -> None:
    rules = table("allow * command=ls", "deny * command=make release")
    assert judge_use(run("ls; make release"), rules).by_rules == (rules.rules[1],)
    assert judge_use(run("ls"), rules).by_rules == (rules.rules[0],)
    assert judge_use(run("ls; pwd"), rules).by_rules == (), "a part of it is allowed anyway"


def test_no_sandbox_spares_a_question_that_the_user_wants() -> None:
    held = Confinement("bubblewrap", undoable=True)
    assert decide(judge_use(run("touch a"), project="/p"), held).decision == "allow"
    assert decide(judge_use(run("touch a"), table("ask * command=touch"), project="/p"), held).decision == "ask"


def test_a_yes_to_a_file_holds() -> None:
    reading = reading_rules(table("ask view_file path=notes/**"))
    assert isinstance(reading, ReadingRules)
    assert reading("notes/a.md").decision == "ask"
    reading.grant("notes/a.md")
    assert reading("notes/a.md").decision == "allow"
    assert reading("notes/b.md").decision == "ask"


def test_rows_that_keep_nothing_from_being_read_cost_nothing() -> None:
    assert reading_rules(table("deny edit_file path=a/**", "allow * path=b/**", "deny * command=ls")) is None
    assert not concerns(table("deny * command=ls"), "grep")
    assert concerns(table("ask * path=a/**"), "grep")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"decision": "deny"}, id="about nothing"),
        pytest.param({"decision": "deny", "path": "a", "command": "b"}, id="about two things"),
        pytest.param({"decision": "deny", "tool": "edit_file", "command": "b"}, id="a command of another tool"),
        pytest.param({"decision": "perhaps", "tool": "edit_file"}, id="another decision"),
        pytest.param({"decision": "deny", "tol": "edit_file"}, id="another field"),
    ],
)
def test_a_row_that_means_nothing_is_refused(row: dict[str, str]) -> None:
    with pytest.raises(InvalidRecord):
        PermissionRule.model_validate(row)
