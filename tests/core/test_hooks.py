"""Which hooks run, and what their answers mean."""

import pytest

from mulligan.core.hooks import formatter_for, hooks_at, read_hook
from mulligan.types.hooks import Formatter, Hook, HookAnswer

HOOK = Hook(event="before_tool", command="check it")


@pytest.mark.parametrize(
    ("hook", "runs"),
    [
        pytest.param(Hook(event="before_tool", command="x"), True, id="every tool"),
        pytest.param(Hook(event="before_tool", command="x", tool="*_file"), True, id="by pattern"),
        pytest.param(Hook(event="before_tool", command="x", tool="grep"), False, id="another tool"),
        pytest.param(Hook(event="before_tool", command="x", path="src/**"), True, id="its files"),
        pytest.param(Hook(event="before_tool", command="x", path="*.md"), False, id="other files"),
        pytest.param(Hook(event="after_tool", command="x"), False, id="another event"),
    ],
)
def test_which_hooks_run(hook: Hook, runs: bool) -> None:
    assert bool(list(hooks_at([hook], "before_tool", tool="edit_file", paths=["src/a.py"]))) is runs


@pytest.mark.parametrize(
    ("code", "stdout", "stderr", "answer"),
    [
        pytest.param(0, "", "", HookAnswer(), id="nothing against it"),
        pytest.param(0, "all is well", "", HookAnswer(), id="words are no veto"),
        pytest.param(0, '{"decision": "allow"}', "", HookAnswer(), id="a yes in JSON"),
        pytest.param(2, "", "not on a Friday\n", HookAnswer("not on a Friday"), id="exit code 2"),
        pytest.param(2, "because", "", HookAnswer("because"), id="exit code 2, said on standard output"),
        pytest.param(2, "", "", HookAnswer("the hook `check it` gave no reason"), id="exit code 2 without a reason"),
        pytest.param(0, '{"decision": "deny", "reason": "no"}', "", HookAnswer("no"), id="a no in JSON"),
        pytest.param(0, '{"decision": "block"}', "", HookAnswer("it gave no reason"), id="as other agents have it"),
        pytest.param(
            1,
            "",
            "Traceback\n",
            HookAnswer(troubles=("the hook `check it` ended with exit code 1: Traceback",)),
            id="it failed",
        ),
    ],
)
def test_what_a_hook_says(code: int, stdout: str, stderr: str, answer: HookAnswer) -> None:
    assert read_hook(HOOK, exit_code=code, timed_out=False, stdout=stdout, stderr=stderr) == answer


def test_a_hook_that_takes_too_long_has_failed() -> None:
    answer = read_hook(HOOK, exit_code=None, timed_out=True, stdout="", stderr="")
    assert answer == HookAnswer(troubles=("the hook `check it` took longer than 30 s",))


def test_the_first_formatter_that_fits() -> None:
    rows = [Formatter(path="src/**/*.py", command="a"), Formatter(path="*.py", command="b")]
    assert formatter_for(rows, "src/x/y.py") == rows[0]
    assert formatter_for(rows, "y.py") == rows[1]
    assert formatter_for(rows, "y.md") is None
