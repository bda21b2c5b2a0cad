"""Which checkers a project has, and what they are asked."""

import pytest

from mulligan.core.command_policy import judge_command
from mulligan.core.diagnostics import Checker, find_checkers

PACKAGE = '{"devDependencies": {"eslint": "9", "typescript": "5"}}'

RUFF = "ruff check --no-cache --force-exclude --output-format concise"
CARGO = "cargo check --quiet --offline --all-targets --message-format short"

PROJECTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "nothing configured": ({"pyproject.toml": "[project]\n", "a.py": "", "package.json": "{}", "a.ts": ""}, []),
    "settings without code": ({"pyproject.toml": "[tool.ruff]\n"}, []),
    "ruff and pyright": (
        {"pyproject.toml": "[tool.ruff.lint]\n[tool.pyright]\n", "a.py": ""}, [f"{RUFF} .", "pyright"]
    ),
    "one type checker of two": (
        {"pyproject.toml": "[tool.mypy]\n", "pyrightconfig.json": "{}", "a.py": ""}, ["pyright"]
    ),
    "mypy where the project says": (
        {"mypy.ini": "[mypy]\n", "src/a.py": "", "Makefile": "lint:\n\tmypy src tests\n"},
        ["mypy src tests --no-pretty"],
    ),
    "scripts and types": (
        {"package.json": PACKAGE, "tsconfig.json": "{}", "eslint.config.mjs": "", "src/a.ts": ""},
        ["eslint --no-color .", "tsc --noEmit --pretty false"],
    ),
    "eslint is no dependency": ({"package.json": "{}", "eslint.config.mjs": "", "a.js": ""}, []),
    "go": ({"go.mod": "module m\n", "main.go": ""}, ["go vet ./..."]),
    "a workspace of crates": (
        {"Cargo.toml": "[workspace]\n", "one/Cargo.toml": "[package]\n", "one/src/lib.rs": ""}, [f"{CARGO} --workspace"]
    ),
    "a page beside the code": (
        {"pyproject.toml": "[tool.ruff]\n", "a.py": "", "web/package.json": PACKAGE, "web/tsconfig.json": "{}"},
        [f"{RUFF} .", "cd web && tsc --noEmit --pretty false"],
    ),
    "modules below one another": (
        {"go.mod": "", "a.go": "", "tools/go.mod": "", "tools/b.go": ""}, ["go vet ./...", "cd tools && go vet ./..."]
    ),
    "an inner package that the top covers": (
        {"ruff.toml": "", "a.py": "", "lib/pyproject.toml": "[tool.ruff]\n", "lib/b.py": ""}, [f"{RUFF} ."]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "asked"), PROJECTS.values(), ids=PROJECTS)
def test_checkers_come_from_manifests_and_settings_alone(files: dict[str, str], asked: list[str]) -> None:
    assert [checker.asks_all() for checker in find_checkers(files, files)] == asked


@pytest.mark.parametrize("command", sorted({command for _, asked in PROJECTS.values() for command in asked}))
def test_the_policy_lets_every_one_of_them_run_unasked(command: str) -> None:
    assert judge_command(command, project="/project").decision == "allow"


def test_a_linter_is_asked_about_the_files_at_hand() -> None:
    ruff = Checker("ruff", "ruff check", (".py",), folder="lib", by_file=True)
    assert ruff.asks_about(["lib/b c.py", "lib/-a.py"]) == "cd lib && ruff check ./-a.py './b c.py'"


def test_a_type_checker_is_asked_about_everything() -> None:
    tsc = Checker("tsc", "tsc", (".ts",), folder="web")
    assert tsc.asks_about(["web/a.ts"]) == "cd web && tsc"


def test_a_checker_is_concerned_with_its_files_in_its_folder() -> None:
    tsc = Checker("tsc", "tsc", (".ts",), folder="web")
    assert [path for path in ("web/a.ts", "web/a.py", "a.ts", "web2/a.ts") if tsc.concerns(path)] == ["web/a.ts"]
