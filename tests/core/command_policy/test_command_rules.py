import pytest

from mulligan.core.command_policy import judge_command
from mulligan.types.commands import Decision
from mulligan.types.permissions import Permissions

RULES = Permissions.of_commands(allow=("make deploy", "pip install", "sudo", "git push"), deny=("pytest --slow", "npm"))


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        pytest.param("make deploy", "allow", id="what is allowed"),
        pytest.param("make deploy --now", "allow", id="with more words"),
        pytest.param("make deployment", "ask", id="not by letters"),
        pytest.param("make", "allow", id="what was allowed anyway"),
        pytest.param("make deploy && frobnicate", "ask", id="that part only"),
        pytest.param("make deploy > a.txt", "ask", id="not where its output goes"),
        pytest.param("make deploy $(frobnicate)", "ask", id="not what is put into it"),
        pytest.param("make $X", "ask", id="not what is computed"),
        pytest.param("timeout 5 make deploy", "allow", id="through a wrapper"),
        pytest.param("bash -c 'make deploy'", "allow", id="inside a script"),
        pytest.param("pip install -r a.txt", "allow", id="an install"),
        pytest.param("sudo make deploy", "deny", id="never what is denied"),
        pytest.param("git push", "deny", id="not even by name"),
        pytest.param("pytest --slow", "deny", id="what is forbidden"),
        pytest.param("pytest", "allow", id="not its beginning"),
        pytest.param("ls; npm test", "deny", id="anywhere in the line"),
        pytest.param("env X=1 npm test", "deny", id="behind a wrapper"),
        pytest.param("bash -c 'npm test'", "deny", id="inside a script too"),
    ],
)
def test_a_users_rules_overrule_asking_and_forbid_more(command: str, decision: Decision) -> None:
    assert judge_command(command, permissions=RULES).decision == decision


def test_an_allowed_command_keeps_its_kind() -> None:
    assert judge_command("pip install x", permissions=RULES).kinds == {"install"}


def test_an_empty_rule_matches_nothing() -> None:
    assert judge_command("frobnicate", permissions=Permissions.of_commands(allow=("", "  "))).decision == "ask"
    assert judge_command("ls", permissions=Permissions.of_commands(deny=("",))).decision == "allow"
