"""The kind of failure, by the command and by what little is printed."""

import pytest

from mulligan.core.failures import classify_failure, read_report, summarize_failure
from mulligan.types.fixing import CommandFailure, TestReport

BOOM = "boom"
TRACEBACK = 'Traceback (most recent call last):\n  File "/project/a.py", line 3, in f\n    g()\nKeyError: 1\n'


@pytest.mark.parametrize(
    "command",
    [
        "pytest", "python -m pytest -q", ".venv/bin/pytest tests", "FOO=1 pytest", "cd sub && pytest", "uv run pytest",
        "poetry run pytest", "timeout 60 pytest", "sh -c 'pytest -q'", "python3.12 -m unittest", "tox -e py311",
        "npm test", "npm run test:unit", "yarn test", "pnpm test", "npx vitest run", "npx jest", "node --test",
        "make test", "make -C sub check", "go test ./...", "cargo test", "mvn -B clean verify", "./gradlew :app:test",
        "dotnet test", "bundle exec rspec", "coverage run -m pytest",
    ],
)  # fmt: skip
def test_a_runner_of_tests_that_fails_is_a_test_failure_whatever_it_prints(command: str) -> None:
    assert classify_failure(command, 1, BOOM) == "test_failure"


@pytest.mark.parametrize(
    "command",
    [
        "ruff check .", "uvx ruff check", "ruff format --check", "black --check .", "black .", "mypy src", "pylint a",
        "python -m flake8", "eslint .", "npx eslint src", "npm run lint", "make lint", "tsc", "npx tsc --noEmit",
        "npx prettier --check .", "npx biome ci", "cargo clippy", "cargo fmt --check", "golangci-lint run",
        "go vet ./...", "npm run typecheck", "pre-commit run -a", "pyright",
    ],
)  # fmt: skip
def test_a_linter_that_fails_is_a_lint_failure(command: str) -> None:
    assert classify_failure(command, 1, BOOM) == "lint_failure"


@pytest.mark.parametrize(
    ("command", "exit_code", "text", "kind"),
    [
        pytest.param("python app.py", 1, TRACEBACK, "runtime_error", id="an interpreter with a traceback"),
        pytest.param("./run.sh", 1, TRACEBACK, "runtime_error", id="a script that runs one"),
        pytest.param("python app.py", 1, BOOM, "unknown", id="an interpreter without a traceback"),
        pytest.param("python app.py", 1, "a.py:3:1: F401 x", "unknown", id="a program that prints like a linter"),
        pytest.param("./deploy", 3, "", "unknown", id="nothing is known"),
        pytest.param("", 1, "", "unknown", id="no command"),
        pytest.param("pytest", 127, "", "tooling_error", id="not found"),
        pytest.param("pytest", 126, "", "tooling_error", id="not executable"),
        pytest.param("pytest", 5, "", "tooling_error", id="pytest found no tests"),
        pytest.param("pytest", 3, "INTERNALERROR> x", "tooling_error", id="pytest broke"),
        pytest.param("pytest", None, "", "test_failure", id="tests that did not end"),
        pytest.param("pytest", -11, "", "test_failure", id="tests that crashed"),
        pytest.param("python app.py", None, "", "unknown", id="a program that did not end"),
        pytest.param(
            ".venv/bin/pytest", 1, f"{TRACEBACK}ModuleNotFoundError: No module named 'pytest'\n", "tooling_error",
            id="the runner itself is missing",
        ),
        pytest.param(
            "npm test", 1, "Error: Cannot find module '/project/node_modules/jest/bin/jest.js'", "tooling_error",
            id="no node_modules",
        ),
        pytest.param("mypy src", 2, TRACEBACK, "tooling_error", id="a linter that crashed"),
        pytest.param("make", 2, "make: *** [Makefile:3: x] Fehler 127", "tooling_error", id="make in another language"),
        pytest.param("make -j2", 2, "make: *** Waiting for unfinished jobs....", "unknown", id="make waits for jobs"),
        pytest.param("python manage.py test", 1, "Ran 2 tests in 0.1s\n\nFAILED (failures=1)", "test_failure",
                     id="unittest inside a program"),
        pytest.param("ruff check . && pytest", 1, "a.py:1:8: F401 x", "lint_failure", id="the linter of two commands"),
        pytest.param("ruff check . && pytest", 1, "FAILED t.py::test_a - x\n1 failed in 0.1s", "test_failure",
                     id="the tests of two commands"),
        pytest.param("./build.sh", 1, "src/a.c:3:5: error: expected ';'", "lint_failure", id="a compiler in a script"),
    ],
)  # fmt: skip
def test_the_output_decides_where_the_command_says_too_little(
    command: str, exit_code: int | None, text: str, kind: CommandFailure
) -> None:
    assert classify_failure(command, exit_code, text) == kind


def test_words_of_a_failing_test_do_not_make_it_a_broken_tool() -> None:
    text = "E   assert 'bash: x: command not found' == ''\nFAILED t.py::test_a - x: not found\n1 failed in 0.1s\n"

    assert classify_failure("pytest", 1, text) == "test_failure"


@pytest.mark.parametrize(
    ("exit_code", "text", "summary"),
    [
        pytest.param(3, "", "exit code 3 and no output", id="no output"),
        pytest.param(3, "\n  \n", "exit code 3 and no output", id="only white space"),
        pytest.param(None, "", "stopped after its time limit", id="stopped"),
        pytest.param(
            None, "loading\n", "stopped after its time limit, at: loading", id="stopped while it said something"
        ),
        pytest.param(-9, "", "killed by signal 9", id="killed"),
        pytest.param(137, "", "killed by signal 9", id="killed under a shell"),
        pytest.param(-6, "fatal: no\n", "killed by signal 6: fatal: no", id="killed with an error"),
        pytest.param(1, "first\nlast words\n", "last words", id="no line looks like an error"),
        pytest.param(1, "ok\nerror: x\nmore\n", "error: x", id="the error line"),
    ],
)
def test_a_failure_always_has_a_summary(exit_code: int | None, text: str, summary: str) -> None:
    assert summarize_failure("./run", exit_code, "", text) == summary


def test_a_summary_is_one_short_line() -> None:
    summary = summarize_failure("./run", 1, "", "error: " + "long " * 200)

    assert len(summary) <= 160
    assert summary.endswith("…")


def test_where_nothing_can_be_told_the_report_is_empty() -> None:
    assert read_report("./run", 1, "hello", "world") == TestReport()


@pytest.mark.parametrize("command", ["pytest a{\U000de58b}", r"sh -c $'pytest a{\U000de58b}'"])
def test_letters_that_crash_the_grammar_of_shells_do_no_harm(command: str) -> None:
    assert classify_failure(command, 1, BOOM) == "test_failure"
