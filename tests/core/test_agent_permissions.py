"""What an external agent may do without a user's yes, and what not even with it."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.agent_permissions import judge_request
from mulligan.types.agents import PermissionRequest
from mulligan.types.commands import Decision
from mulligan.types.permissions import Permissions

TREE = "/home/me/.mulligan/worktrees/engine-goose-1"


def request(kind: str = "", *paths: str, command: str | None = None) -> PermissionRequest:
    return PermissionRequest(title="a tool", kind=kind, command=command, paths=paths)


@pytest.mark.parametrize(
    ("asked", "decision"),
    [
        pytest.param(request("edit", "src/a.py"), "allow", id="an edit in the work tree"),
        pytest.param(request("edit", f"{TREE}/src/a.py"), "allow", id="by its whole path"),
        pytest.param(request("delete", "a.py"), "allow", id="a deletion"),
        pytest.param(request("move", "a.py", "b/a.py"), "allow", id="a move"),
        pytest.param(request("Edit", "a.py"), "allow", id="written otherwise"),
        pytest.param(request("edit", "/home/me/engine/a.py"), "deny", id="an edit in the checkout"),
        pytest.param(request("edit", "a.py", "../../x"), "deny", id="one of two paths leads out"),
        pytest.param(request("edit", f"{TREE}2/a.py"), "deny", id="a neighbour's work tree"),
        pytest.param(request("edit", TREE), "deny", id="the work tree itself"),
        pytest.param(request("edit", "/dev/null"), "deny", id="a device"),
        pytest.param(request("edit", "~/.bashrc"), "deny", id="the home folder"),
        pytest.param(request("edit", ".git/config"), "deny", id="git's own files"),
        pytest.param(request("edit", f"{TREE}/.git"), "deny", id="the link to git's files"),
        pytest.param(request("edit"), "ask", id="an edit of nobody knows what"),
        pytest.param(request("read", "a.py"), "allow", id="a look"),
        pytest.param(request("search", "."), "allow", id="a search in all of it"),
        pytest.param(request("read", "/etc/hosts"), "ask", id="a look outside"),
        pytest.param(request("fetch"), "ask", id="the network"),
        pytest.param(request("switch_mode"), "ask", id="another mode"),
        pytest.param(request("", "a.py"), "ask", id="no kind"),
        pytest.param(request("execute"), "ask", id="a command that is not shown"),
        pytest.param(request("execute", command="pytest -q"), "allow", id="tests"),
        pytest.param(request("execute", command=f"cd {TREE} && pytest -q"), "allow", id="tests, by the whole path"),
        pytest.param(request("execute", command="pip install x"), "ask", id="an install"),
        pytest.param(request("execute", command="sudo rm -rf /"), "deny", id="never"),
        pytest.param(request("edit", "a.py", command="sudo rm -rf /"), "deny", id="a command in disguise"),
        pytest.param(request("execute", command=""), "allow", id="an empty command"),
    ],
)
def test_what_is_granted_asked_about_and_denied(asked: PermissionRequest, decision: Decision) -> None:
    assert judge_request(asked, folder=TREE).decision == decision


def test_the_users_own_rules_hold() -> None:
    rules = Permissions.of_commands(allow=("make deploy",), deny=("pytest",))
    assert judge_request(request(command="make deploy"), folder=TREE, permissions=rules).decision == "allow"
    assert judge_request(request(command="pytest"), folder=TREE, permissions=rules).decision == "deny"


@given(
    st.sampled_from(["edit", "delete", "move"]),
    st.lists(st.sampled_from(["..", ".", "a", "b", "home", "me", "", "~", ".git", "engine-goose-1"]), max_size=8),
    st.booleans(),
)
def test_no_change_is_granted_that_leads_out(kind: str, steps: list[str], absolute: bool) -> None:
    path = ("/" if absolute else "") + "/".join(steps)
    verdict = judge_request(request(kind, path), folder=TREE)
    leads_to = posixpath.normpath(posixpath.join(TREE, path))
    if verdict.decision == "allow":
        assert leads_to.startswith(f"{TREE}/")
        assert ".git" not in leads_to.split("/")


@given(st.text(max_size=20), st.text(max_size=20), st.lists(st.text(max_size=20), max_size=3))
def test_every_request_gets_a_word_and_a_reason(title: str, kind: str, paths: list[str]) -> None:
    asked = PermissionRequest(title=title, kind=kind, command=None, paths=tuple(paths))
    verdict = judge_request(asked, folder=TREE)
    assert verdict.reason
    assert verdict.decision != "ask" or not verdict.is_command
