"""Which files are read before commands are looked for."""

import pytest

from mulligan.core.project_commands import MANIFESTS, manifests_among
from mulligan.core.project_commands.manifests import MAX_MANIFESTS, MAX_TEST_SOURCES


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml", "web/package.json", "requirements-dev.txt", "requirements/dev.txt", ".github/workflows/ci.yml",
     "Makefile", "tests/test_cart.py", "shop/tests.py", "cart.test.mjs", "a/b/c/d/Cargo.toml"],
)  # fmt: skip
def test_what_tells_of_commands_is_read(path: str) -> None:
    assert manifests_among([path]) == (path,)


@pytest.mark.parametrize(
    "path",
    ["main.py", "README.md", "node_modules/x/package.json", ".venv/lib/test_x.py", "vendor/x/Makefile",
     "a/b/c/d/e/package.json", "package-lock.json", "github/workflows.yml"],
)  # fmt: skip
def test_other_files_and_what_was_fetched_are_not_read(path: str) -> None:
    assert manifests_among([path]) == ()


def test_manifests_come_before_tests_and_the_topmost_first() -> None:
    paths = ["tests/test_a.py", "web/package.json", "test_b.py", "pyproject.toml"]
    assert manifests_among(paths) == ("pyproject.toml", "web/package.json", "test_b.py", "tests/test_a.py")


def test_a_huge_project_costs_a_bounded_number_of_files() -> None:
    paths = [f"p{number}/{name}" for number in range(1000) for name in ("package.json", "test_a.py")]
    assert len(manifests_among(paths)) == MAX_MANIFESTS + MAX_TEST_SOURCES


def test_a_file_of_every_kind_is_read() -> None:
    names = [glob.replace("*", "x") for glob in MANIFESTS]
    assert set(manifests_among(names)) == set(names)
