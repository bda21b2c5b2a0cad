"""How a Python project is tested: pytest, Django's runner, or unittest.

Always by `python3`: every machine and every virtual environment has that name, while `python` may be missing.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from mulligan.core.project_commands.manifests import is_sample
from mulligan.core.project_commands.project import ProjectFolder, found
from mulligan.core.project_commands.shell import quote
from mulligan.syntax.project_paths import ancestors
from mulligan.types.fixing import ProjectCommand

PYTEST_SECTIONS = (
    ("pytest.toml", ""),
    (".pytest.toml", ""),
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pyproject.toml", "tool.pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
"""Where pytest is configured: the file and its section."""

REQUIREMENTS = (
    "pyproject.toml", "requirements*.txt", "*-requirements.txt", "setup.py", "setup.cfg", "tox.ini", "noxfile.py",
    "Pipfile", "environment.yml",
)  # fmt: skip
OF_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "Pipfile", "requirements*.txt")

TEST_NAMES = ("test_*.py", "*_test.py", "tests.py", "test.py")
MAX_DISCOVERIES = 4
"""Most test folders that unittest can't reach from one another, each a separate command."""

PYTEST_STYLE = re.compile(
    r"^[ \t]*+(?:import|from)\s+pytest\b|^(?:async\s+)?def test_|^class Test\w*(?:\(\s*+(?:object)?\s*+\))?:",
    re.MULTILINE,
)
UNITTEST_STYLE = re.compile(r"^[ \t]*+(?:import|from)\s+unittest\b|\bTestCase\b", re.MULTILINE)


def find_python_tests(project: ProjectFolder) -> list[ProjectCommand]:
    tests = _own_files(project, TEST_NAMES)
    configured = [place[0] for place in PYTEST_SECTIONS if project.configures(place)]
    if tests:
        configured += _own_files(project, ("conftest.py",))
    if configured:
        return [_pytest(project, f"pytest is configured in {configured[0]}")]
    if not tests:
        return []
    if required := _requires_pytest(project):
        return [_pytest(project, required)]
    if "django" in project.text("manage.py"):
        return [found("python3 manage.py test", "manage.py is a Django project's", ("manage.py",))]
    written = [path for path in tests if PYTEST_STYLE.search(project.text(path))]
    if written:
        return [_pytest(project, f"{written[0]} is written for pytest")]
    return _discoveries(project, tests)


def _own_files(project: ProjectFolder, names: Sequence[str]) -> list[str]:
    """Without files of inner projects, if this folder is not a Python project itself."""
    paths = [path for path in project.named(*names) if not is_sample(path)]
    if project.present(OF_PYTHON):
        return paths
    inner = {path.rpartition("/")[0] for path in project.named(*OF_PYTHON)}
    return [path for path in paths if inner.isdisjoint(ancestors(path))]


def _requires_pytest(project: ProjectFolder) -> str | None:
    for path in (*project.present(REQUIREMENTS), *sorted(p for p in project.paths if fnmatchcase(p, "requirements/*"))):
        if re.search(r"\bpytest\b", project.text(path)):
            return f"pytest is required by {path}"
    return "CI, hooks or a Makefile run pytest" if project.automates(r"\bpytest\b") else None


def _pytest(project: ProjectFolder, why: str) -> ProjectCommand:
    # Without -q: together with the project's own -q it would hide how many tests ran, which is evidence.
    defined_in = project.present(path for path, _ in PYTEST_SECTIONS)
    return found(f"{_path_to_source(project)}python3 -m pytest", why, defined_in)


def _path_to_source(project: ProjectFolder) -> str:
    """For a `src` layout, so that this folder is tested, and not another one that was installed earlier."""
    in_src = [path for path in project.paths if fnmatchcase(path, "src/*.py")]
    is_layout = "src/__init__.py" not in project.paths and any(
        path.count("/") == 1 or re.fullmatch(r"src/[^/]+/__init__\.py", path) for path in in_src
    )
    return 'PYTHONPATH="$PWD/src:$PYTHONPATH" ' if is_layout else ""


def _discoveries(project: ProjectFolder, tests: Sequence[str]) -> list[ProjectCommand]:
    """Nothing for files that are only named like tests. Files that were not read, of many, count like the others."""
    written = [path for path in tests if UNITTEST_STYLE.search(project.text(path))]
    roots: dict[str, list[str]] = {}
    for path in tests if written else ():
        if path in written or path not in project.files:
            roots.setdefault(_import_root(project, path), []).append(path)
    return [_discovery(project, root, roots[root]) for root in sorted(roots)[:MAX_DISCOVERIES]]


def _discovery(project: ProjectFolder, root: str, tests: Sequence[str]) -> ProjectCommand:
    start = _common_folder(tests)
    options = [f"-s {quote(start)}"] if start else []
    # A test folder that is a package is imported from above it; otherwise imports start in the folder itself.
    options += [f"-t {quote(root or '.')}"] if start != root else []
    options += _pattern(tests)
    command = " ".join([f"{_path_to_source(project)}python3 -m unittest discover", *options])
    return found(command, f"{tests[0]} is written for unittest")


def _pattern(tests: Iterable[str]) -> list[str]:
    """unittest takes one pattern, by default `test*.py`."""
    by_default = {path.rpartition("/")[2].startswith("test") for path in tests}
    if by_default == {True}:
        return []
    return ["-p '*test*.py'" if True in by_default else "-p '*_test.py'"]


def _import_root(project: ProjectFolder, path: str) -> str:
    """The nearest parent folder that is not a package."""
    return next(folder for folder in ancestors(path) if f"{folder}/__init__.py" not in project.paths)


def _common_folder(paths: Sequence[str]) -> str:
    shared = [folder for folder in ancestors(paths[0]) if all(folder in ancestors(path) for path in paths)]
    return shared[0]
