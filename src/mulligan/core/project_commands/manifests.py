"""The files whose texts tell how a project is tested and linted."""

import re
from collections.abc import Collection
from fnmatch import fnmatchcase

MANIFESTS = (
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile", "environment.yml", "manage.py",
    "requirements*.txt", "*-requirements.txt", "requirements/*.txt", "mypy.ini", ".mypy.ini",
    "package.json", "deno.json", "composer.json", "Cargo.toml", "Gemfile", "Rakefile", "*.csproj", "CMakeLists.txt",
    "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile",
    ".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml",
    "azure-pipelines.yml", ".pre-commit-config.yaml",
)  # fmt: skip
"""File names, in any folder. One with a slash is the end of a path."""

TEST_SOURCES = ("test_*.py", "*_test.py", "tests.py", "test.py", "*.test.js", "*.test.mjs", "*.test.cjs", "test/*.js")
"""Tests whose text tells which runner they are written for."""

MAX_DEPTH = 4
"""Deepest folder level of a file to read."""
MAX_MANIFESTS = 120
MAX_TEST_SOURCES = 40

NOT_OURS = frozenset(
    {"node_modules", "vendor", "third_party", "bower_components", ".venv", "venv", "env", ".tox", ".nox",
     "site-packages", "dist", "build", "target", "__pycache__", ".git", ".mulligan", ".yarn", ".eggs"}
)  # fmt: skip
"""Folders of downloaded or built files."""

SAMPLE = re.compile(
    r"(?:^|/)(?:fixtures?|testdata|test_data|samples?|examples?|docs|__snapshots__"
    r"|(?:tests?|__tests__)/(?:.*/)?(?:data|resources|templates|snapshots))/"
)
"""Folders whose manifests and tests belong to a sample, not to the project."""


def manifests_among(paths: Collection[str]) -> tuple[str, ...]:
    """What to read before `find_commands`: topmost first, and no more than needed."""
    ours = sorted((path for path in paths if path.count("/") <= MAX_DEPTH and is_ours(path)), key=_topmost_first)
    manifests = [path for path in ours if _matches(path, MANIFESTS)]
    sources = [path for path in ours if _matches(path, TEST_SOURCES)]
    return (*manifests[:MAX_MANIFESTS], *sources[:MAX_TEST_SOURCES])


def is_ours(path: str) -> bool:
    return NOT_OURS.isdisjoint(path.split("/")[:-1])


def is_sample(path: str) -> bool:
    return SAMPLE.search(path) is not None


def _topmost_first(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _matches(path: str, globs: tuple[str, ...]) -> bool:
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}") if "/" in glob else fnmatchcase(name, glob)
        for glob in globs
    )
