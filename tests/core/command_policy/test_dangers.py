"""What the policy says beyond yes and no: whether something is removed, and what could be allowed for good."""

import pytest

from mulligan.core.command_policy import judge_command, lasting_rule
from mulligan.types.permissions import Permissions


@pytest.mark.parametrize(
    ("command", "removes"),
    [
        ("rm -rf build", True),
        ("cd src && rm old.py", True),
        ("find . -name '*.pyc' -delete", True),
        ("dd if=/dev/zero of=disk.img", True),
        ("shred notes.txt", True),
        ("bash -c 'rm -r build'", True),
        ("touch made", False),
        ("pip install requests", False),
        ("git commit -m x", False),
        ("pytest", False),
    ],
)
def test_the_policy_knows_what_removes_files(command: str, removes: bool) -> None:
    assert judge_command(command).removes is removes


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pip install requests", "pip install requests"),
        ("touch made", "touch made"),
        ("rm -rf build", ""),
        ("pytest", ""),
        ("touch a && touch b", ""),
        ("touch 'a b'", ""),
        ("touch $(date)", ""),
        ("sudo reboot", ""),
        ("touch " + "a" * 100, ""),
        ("touch a > b", ""),
    ],
)
def test_a_rule_is_offered_only_where_it_would_do(command: str, rule: str) -> None:
    assert lasting_rule(command, judge_command(command)) == rule
    if rule:
        allowed = judge_command(command, permissions=Permissions.of_commands(allow=(rule,)))
        assert (allowed.decision, bool(allowed.by_rules)) == ("allow", True)
