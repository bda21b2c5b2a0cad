"""`mulligan permissions`: every rule with where it comes from, and what would become of a command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    folder = Path(environment["MULLIGAN_HOME"])
    folder.mkdir()
    (folder / "mulligan.toml").write_text(
        """
allow_commands = ["make deploy"]

[[permissions]]
decision = "deny"
path = "migrations/**"

[[permissions]]
decision = "ask"
command = "make publish"

[[hooks]]
event = "after_edit"
command = "no-such-program-here --check"

[[formatters]]
path = "*.py"
command = "cat"
"""
    )
    return folder


def test_rules_are_shown_with_where_they_stand(run: Start, home: Path, project: Path) -> None:
    (project / "mulligan.toml").write_text('deny_commands = ["make release"]\n')
    told = [json.loads(line) for line in run("permissions", "--json").stdout.splitlines()]
    rows = [
        (row["decision"], row["path"] or row["command"], row["source"]) for row in told if row["type"] == "permission"
    ]
    assert sorted(rows) == [
        ("allow", "make deploy", f"allow_commands in {home}/mulligan.toml"),
        ("ask", "make publish", f"{home}/mulligan.toml"),
        ("deny", "make release", f"deny_commands in {project}/mulligan.toml"),
        ("deny", "migrations/**", f"{home}/mulligan.toml"),
    ]
    shown = run("permissions").stdout
    assert "hook: after_edit of *: no-such-program-here --check" in shown
    assert "formatter: *.py: cat" in shown
    assert shown.index("migrations/**") < shown.index("make publish") < shown.index("make deploy"), "deny comes first"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        pytest.param(["make deploy --now"], 0, "allow:", id="allowed by a rule"),
        pytest.param(["make publish"], 6, "ask:", id="asked about"),
        pytest.param(["rm migrations/1.sql"], 4, "names migrations/1.sql", id="names a file that is denied"),
        pytest.param(["sudo ls"], 4, "deny:", id="denied by the policy"),
        pytest.param(["--tool", "edit_file", "--path", "migrations/1.sql"], 4, "deny:", id="an edit that is denied"),
        pytest.param(["--tool", "edit_file", "--path", "/migrations/1.sql:9"], 4, "deny:", id="the same, spelt oddly"),
        pytest.param(["--tool", "edit_file", "--path", "a.py"], 6, "pending", id="an edit"),
        pytest.param(["--tool", "grep"], 0, "allow:", id="a tool that reads"),
        pytest.param([], 2, "", id="nothing to check"),
    ],
)
def test_what_would_become_of_it(run: Start, words: list[str], code: int, says: str) -> None:
    done = run("permissions", "check", *words)
    assert (done.returncode, says in done.stdout) == (code, True), done.stdout + done.stderr


def test_a_check_names_the_rule(run: Start, home: Path) -> None:
    done = run("permissions", "check", "make publish", "--json")
    (rule,) = json.loads(done.stdout)["rules"]
    assert (rule["command"], rule["source"]) == ("make publish", f"{home}/mulligan.toml")


def test_without_rules_it_says_where_they_would_be(run: Start, environment: dict[str, str]) -> None:
    assert f"{environment['MULLIGAN_HOME']}/mulligan.toml" in run("permissions").stderr


@pytest.mark.usefixtures("home")
def test_the_doctor_names_a_program_that_is_missing(run: Start) -> None:
    checks = {check["name"]: check for check in map(json.loads, run("doctor", "--json").stdout.splitlines())}
    told = checks["permissions and hooks"]
    assert told["found"] == "2 permissions, 1 hook, 1 formatter"
    assert "Not found: no-such-program-here" in told["advice"]
