"""What is read of the output of real checkers, before and after an edit that breaks calls in another file."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.core.diagnostics import Checker, Diagnostic, DiagnosticsBaseline, read_diagnostics

OUTPUTS = Path(__file__).parent / "outputs"


@dataclass(frozen=True)
class Case:
    name: str
    exit_codes: tuple[int, int]
    old: tuple[Diagnostic, ...]
    """Errors that stood before, in the files that were looked at."""
    new: tuple[Diagnostic, ...]
    folder: str = ""

    @property
    def checker(self) -> Checker:
        return Checker(self.name, self.name, (), self.folder, by_file=self.name in {"ruff", "eslint"})


CASES = [
    Case(
        "ruff",
        (1, 1),
        (
            Diagnostic("shop.py", 1, "I001", "Import block is un-sorted or un-formatted"),
            Diagnostic("shop.py", 1, "F401", "`os` imported but unused"),
            Diagnostic("shop.py", 6, "F841", "Local variable `found` is assigned to but never used"),
        ),
        (
            Diagnostic("calc.py", 1, "F401", "`sys` imported but unused"),
            Diagnostic("calc.py", 5, "F821", "Undefined name `missing`"),
        ),
    ),
    Case(
        "mypy",
        (1, 1),
        (
            Diagnostic(
                "shop.py",
                6,
                "assignment",
                'Incompatible types in assignment (expression has type "int", variable has type "str")',
            ),
        ),
        (
            Diagnostic("calc.py", 5, "name-defined", 'Name "missing" is not defined'),
            Diagnostic("shop.py", 6, "call-arg", 'Missing positional argument "c" in call to "add"'),
            Diagnostic("shop.py", 7, "call-arg", 'Missing positional argument "c" in call to "add"'),
        ),
    ),
    Case(
        "pyright",
        (1, 1),
        (Diagnostic("shop.py", 6, "", 'Type "int" is not assignable to declared type "str"'),),
        (
            Diagnostic("calc.py", 5, "reportUndefinedVariable", '"missing" is not defined'),
            Diagnostic("shop.py", 6, "reportCallIssue", 'Argument missing for parameter "c"'),
            Diagnostic("shop.py", 7, "reportCallIssue", 'Argument missing for parameter "c"'),
        ),
    ),
    Case(
        "tsc",
        (2, 2),
        (Diagnostic("web/src/shop.ts", 3, "TS2322", "Type 'number' is not assignable to type 'string'."),),
        (
            Diagnostic("web/src/calc.ts", 4, "TS2304", "Cannot find name 'missing'."),
            Diagnostic("web/src/shop.ts", 3, "TS2554", "Expected 3 arguments, but got 2."),
            Diagnostic("web/src/shop.ts", 4, "TS2554", "Expected 3 arguments, but got 2."),
        ),
        folder="web",
    ),
    Case(
        "eslint",
        (1, 1),
        (
            Diagnostic(
                "src/shop.ts", 2, "@typescript-eslint/no-unused-vars", "'unused' is assigned a value but never used"
            ),
            Diagnostic("src/shop.ts", 4, "max-lines", "File has too many lines (4). Maximum allowed is 3"),
        ),
        (
            Diagnostic("src/calc.ts", 3, "@typescript-eslint/no-unused-vars", "'c' is defined but never used"),
            Diagnostic("src/calc.ts", 4, "max-lines", "File has too many lines (5). Maximum allowed is 3"),
        ),
    ),
    Case(
        "go vet",
        (2, 2),
        (Diagnostic("main.go", 10, "", 'fmt.Printf format %d has arg "old" of wrong type string'),),
        (Diagnostic("main.go", 11, "", "not enough arguments in call to calc.Add"),),
    ),
    Case(
        "cargo check",
        (0, 101),
        (),
        (
            Diagnostic(
                "src/main.rs", 5, "E0061", "this function takes 3 arguments but 2 arguments were supplied"
            ),
            Diagnostic(
                "src/main.rs", 10, "E0061", "this function takes 3 arguments but 2 arguments were supplied"
            ),
        ),
    ),
]  # fmt: skip


def said(case: Case, when: str) -> str:
    return (OUTPUTS / f"{case.name.replace(' ', '_')}_{when}.txt").read_text(encoding="utf-8")


def read(case: Case, when: str) -> tuple[Diagnostic, ...]:
    code = case.exit_codes[when == "after"]
    found = read_diagnostics(case.checker, code, said(case, when), "", project="/project")
    assert found is not None
    return found


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


def test_errors_are_read_with_their_places_and_warnings_are_not(case: Case) -> None:
    assert read(case, "before") == case.old


def test_only_what_the_edit_broke_is_new(case: Case) -> None:
    before = read(case, "before")
    assert tuple(DiagnosticsBaseline(before, before).new_in(read(case, "after"))) == case.new


def test_it_does_not_matter_which_stream_it_came_on(case: Case) -> None:
    on_stderr = read_diagnostics(case.checker, case.exit_codes[1], "", said(case, "after"), project="/project")
    assert on_stderr == read(case, "after")


@pytest.mark.parametrize(
    ("exit_code", "output"),
    [
        (127, "bash: line 1: pyright: command not found"),
        (2, "ruff failed\n  Cause: Failed to parse /project/pyproject.toml"),
        (None, "shop.py:1:1: F401 `os` imported but unused"),
    ],
    ids=["not installed", "wrong settings", "stopped"],
)
def test_a_checker_that_could_not_do_its_work_says_nothing(exit_code: int | None, output: str) -> None:
    assert read_diagnostics(Checker("ruff", "ruff", (".py",)), exit_code, output, "", project="/project") is None


@pytest.mark.parametrize(
    "path", ["/usr/lib/python3/os.py", "../other/a.py", "node_modules/a/index.ts", "/project/.venv/lib/a.py"]
)
def test_files_that_are_not_the_projects_own_are_left_out(path: str) -> None:
    output = f"{path}:1:1: error: wrong\nours.py:2:1: error: wrong\n"
    found = read_diagnostics(Checker("mypy", "mypy", (".py",)), 1, output, "", project="/project")
    assert found == (Diagnostic("ours.py", 2, "", "wrong"),)
