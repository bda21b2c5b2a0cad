"""`mulligan fix` as a script sees it: the real graph, a real repository, real test runs."""

import json
from typing import Any

import pytest

from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import (
    CODE,
    FIXED,
    PLAN,
    RIGHT,
    SECOND_PLAN,
    VERIFY,
    WRONG,
    Repository,
    call,
    edit,
    make_repository,
    say,
    three_attempts,
)


@pytest.fixture
def repository(mulligan: Command) -> Repository:
    return make_repository(mulligan)


def nodes(done: Finished) -> list[str]:
    return [frame["node"] for frame in done.frames if frame["type"] == "run_node"]


def notes(done: Finished) -> str:
    return "\n".join(frame["text"] for frame in done.frames if frame["type"] == "run_note")


def verdict(done: Finished) -> tuple[str, str]:
    return done.end["verdict"], done.end["reason"]


def test_a_linter_that_the_project_names_and_nobody_installed_judges_nothing(repository: Repository) -> None:
    (repository.folder / ".pylintrc").write_text("[MAIN]\n")
    done = repository.fix([PLAN, RIGHT, say("It is fixed.")], verify="")
    assert verdict(done) == ("verified", "passed")
    assert "can't run here and does not judge this run" in notes(done)


def test_a_bug_is_fixed_and_the_change_waits_for_a_yes(repository: Repository) -> None:
    done = repository.fix([PLAN, RIGHT, say("It is fixed.")])
    assert verdict(done) == ("verified", "passed")
    assert done.code == 6
    assert done.end["pending"] == 1
    assert done.end["files"] == ["totals.py"]
    assert repository.code == CODE
    repository.mulligan("changes", "apply")
    assert repository.code == FIXED
    assert nodes(done) == ["baseline", "planner", "coder", "verifier"]
    assert "ran in failing tests; most suspicious: " in notes(done)


def test_yes_applies_a_verified_result(repository: Repository) -> None:
    done = repository.fix([PLAN, RIGHT, say("It is fixed.")], "--yes")
    assert (verdict(done), done.code) == (("verified", "passed"), 0)
    assert repository.code == FIXED
    assert repository.git("status", "--porcelain") == " M totals.py\n"
    assert "run" not in repository.git("worktree", "list").split("\n", 1)[1]


def test_a_suite_that_always_fails_ends_after_three_attempts(repository: Repository) -> None:
    done = repository.fix(three_attempts(WRONG), "--yes")
    history = done.end["failure_history"]
    assert verdict(done) == ("failed", "bounded_attempts_exceeded")
    assert (history["attempts"], done.end["done"], done.code) == (3, False, 4)
    assert [entry["kind"] for entry in history["entries"]] == ["test_failure"] * 3
    assert nodes(done) == ["baseline", *["planner", "coder", "verifier"] * 3, "planner", "snitch"]
    assert repository.code == CODE
    assert repository.git("status", "--porcelain") == ""
    for piece in ("make the tests pass", "bounded_attempts_exceeded", "test_total", VERIFY):
        assert piece in repository.issues


def test_a_failed_attempt_is_discarded_before_the_next(repository: Repository) -> None:
    done = repository.fix([PLAN, WRONG, say("Done."), SECOND_PLAN, RIGHT, say("Done.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    assert done.end["failure_history"]["attempts"] == 1
    assert repository.code == FIXED


def test_a_partial_gain_is_kept_and_built_upon(repository: Repository) -> None:
    (repository.folder / "totals.py").write_text(FIXED.replace("/ len(items)", "/ 2 + 1").replace("sum(items)", "0"))
    first = edit("    return 0", "    return sum(items)")
    second = edit("    return total(items) / 2 + 1", "    return total(items) / len(items)")
    done = repository.fix([PLAN, first, say("Half."), PLAN, second, say("All.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    assert [frame["kept"] for frame in done.frames if frame["type"] == "run_attempt_end"] == [True]
    assert repository.code == FIXED


def test_uncommitted_work_is_where_the_run_starts_from(repository: Repository) -> None:
    (repository.folder / "totals.py").write_text(f"# mine\n{CODE}")
    done = repository.fix([PLAN, RIGHT, say("Done.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    assert repository.code == f"# mine\n{FIXED}"


def test_the_baseline_is_no_attempt_and_passing_without_a_change_is_not_verified(repository: Repository) -> None:
    (repository.folder / "totals.py").write_text(FIXED)
    done = repository.fix([PLAN, say("There is nothing to do.")])
    assert (verdict(done), done.code) == (("unverified", "nothing_changed"), 4)
    assert done.end["failure_history"]["attempts"] == 0


def test_no_command_is_never_a_success(repository: Repository) -> None:
    for name in ("test_totals.py",):
        (repository.folder / name).unlink()
    done = repository.fix([PLAN, RIGHT, say("It works now, all tests pass.")], "--yes", verify="")
    assert (verdict(done), done.code) == (("unverified", "no_commands"), 4)
    assert repository.code == CODE
    assert done.end["pending"] == 1


def test_a_plan_that_claims_success_is_verified_and_found_wanting(repository: Repository) -> None:
    claim = say('{"next": "done", "plan": [], "reason": "all tests pass"}')
    done = repository.fix([claim, PLAN, RIGHT, say("Done.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    assert done.end["failure_history"]["attempts"] == 1
    assert nodes(done)[:4] == ["baseline", "planner", "verifier", "planner"]


def test_garbage_for_a_plan_is_asked_again_once_then_mulligan_plans(repository: Repository) -> None:
    done = repository.fix([say("Sure!"), say("I'd look at totals.py."), RIGHT, say("Done.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    plan = next(frame["plan"] for frame in done.frames if frame["type"] == "run_plan")
    assert plan["by_mulligan"] is True
    assert "test_total" in json.dumps(plan["plan"])


def test_a_model_that_is_down_ends_the_run_with_a_report(repository: Repository) -> None:
    done = repository.fix([PLAN, {"status": 400, "body": "no such model"}])
    assert (verdict(done), done.code) == (("failed", "model_error"), 5)
    assert "no such model" in done.end["explanation"]
    assert "model_error" in repository.issues


TAMPERINGS: dict[str, dict[str, Any]] = {
    "the test is deleted": call("delete_file", path="test_totals.py"),
    "the test is skipped": edit(
        "    def test_total(self):", "    @unittest.skip('')\n    def test_total(self):", "test_totals.py"
    ),
    "a command deletes it": call("run_command", command="rm test_totals.py"),
    "a command empties it": call("run_command", command="printf 'import unittest\\n' > test_totals.py"),
    "the runner is bent": call("create_file", path="sitecustomize.py", text="import unittest\nunittest.main = None\n"),
}


FOR_BREADTH = {"the test is skipped", "a command empties it"}


@pytest.mark.parametrize(
    "tampering",
    [
        pytest.param(reply, id=name, marks=[pytest.mark.breadth] if name in FOR_BREADTH else [])
        for name, reply in TAMPERINGS.items()
    ],
)
def test_tampering_with_what_judges_the_run_is_noticed_and_not_verified(
    repository: Repository, tampering: dict[str, Any]
) -> None:
    done = repository.fix(three_attempts(tampering), "--yes")
    assert verdict(done) == ("failed", "bounded_attempts_exceeded")
    refused = [frame for frame in done.frames if frame["type"] == "tool_result" and "judged by it" in frame["content"]]
    assert refused or "Restored" in notes(done)
    assert repository.git("status", "--porcelain") == ""


def test_editing_the_test_command_is_taken_back(repository: Repository) -> None:
    (repository.folder / "Makefile").write_text(f"test:\n\t{VERIFY}\n")
    tampering = call("run_command", command="printf 'test:\\n\\ttrue\\n' > Makefile")
    done = repository.fix(three_attempts(tampering), "--yes", verify="make test")
    assert verdict(done) == ("failed", "bounded_attempts_exceeded")
    assert "Makefile" in notes(done)


def test_an_edit_that_breaks_everything_is_discarded(repository: Repository) -> None:
    broken = call("create_file", path="unittest.py", text="raise SystemExit(0)\n")
    done = repository.fix([PLAN, broken, say("Done."), SECOND_PLAN, RIGHT, say("Done.")], "--yes")
    assert verdict(done) == ("verified", "passed")
    assert done.end["files"] == ["totals.py"]


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param("sleep 1000", id="hangs", marks=pytest.mark.breadth),
        pytest.param("yes", id="floods and hangs", marks=pytest.mark.breadth),
        pytest.param("(sleep 1000 &) ; setsid sleep 1001 & cat /dev/tty", id="forks and wants a terminal"),
    ],
)
def test_a_hostile_test_command_ends_at_its_limit(repository: Repository, hostile: str) -> None:
    done = repository.fix(three_attempts(RIGHT), "--timeout", "1", verify=hostile)
    assert (done.end["verdict"], done.code) == ("failed", 4)
    assert done.end["failure_history"]["attempts"] == 3


def test_over_the_budget_commands_are_skipped_and_told_so(repository: Repository) -> None:
    asked = [call("run_command", command=f"echo {number}") for number in range(4)]
    done = repository.fix([PLAN, *asked, RIGHT, say("Done.")], "--profile", "smoke", "--yes")
    results = [frame["content"] for frame in done.frames if frame["type"] == "tool_result"]
    assert sum(result.startswith("skipped:") for result in results) == 1
    assert done.end["spent"]["commands"] == 3
    assert verdict(done) == ("verified", "passed")


def test_a_failing_command_of_the_coder_is_in_the_history_without_being_an_attempt(repository: Repository) -> None:
    done = repository.fix(
        [PLAN, call("run_command", command="python3 -c 'import nothing'"), RIGHT, say("Done.")], "--yes"
    )
    history = done.end["failure_history"]
    assert (history["attempts"], [entry["kind"] for entry in history["entries"]]) == (0, ["runtime_error"])


def test_what_the_commands_leave_lying_does_not_come_back(repository: Repository) -> None:
    done = repository.fix([PLAN, RIGHT, say("Done.")], verify=f"touch litter.txt; {VERIFY}")
    assert verdict(done) == ("verified", "passed")
    assert done.end["files"] == ["totals.py"]
    assert done.end["pending"] == 1


def test_without_a_repository_it_says_so(mulligan: Command) -> None:
    done = mulligan("fix", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", "make the tests pass")
    assert done.code == 2
    assert "git" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param([], "there is no goal", id="no goal"),
        pytest.param(["--verify", " ", "x"], "--verify needs a command", id="an empty command"),
        pytest.param(["--profile", "slow", "x"], "slow", id="an unknown profile"),
        pytest.param(["--resume", "abc", "x"], "takes no goal", id="resume with a goal"),
        pytest.param(["--resume", "abc"], "abc", id="an unknown run"),
        pytest.param(["fix @no/issue.md"], "@no/issue.md can't be read", id="a marked file that is not there"),
        pytest.param(["--issue", "none.md"], "none.md can't be read: No such file", id="an issue that is not there"),
    ],
)
def test_bad_usage_is_told_in_a_sentence(repository: Repository, arguments: list[str], words: str) -> None:
    done = repository.mulligan("fix", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", *arguments)
    assert done.code == 2
    assert words in done.stderr


def test_a_check_that_needed_the_network_says_so_and_what_to_open(repository: Repository) -> None:
    reaching = "import socket\n\nsocket.create_connection(('192.0.2.1', 80), 1)\n"
    (repository.folder / "test_net.py").write_text(reaching)
    repository.git("add", "-A")
    repository.git("commit", "-qm", "reach out")
    done = repository.fix(three_attempts(RIGHT))
    assert done.end["verdict"] != "verified"
    assert "Sandbox: the command needed the network" in notes(done)
    assert "--network" in notes(done)
