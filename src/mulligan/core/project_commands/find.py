"""The commands that judge a project: its tests and its linters, found in its own files."""

from collections.abc import Collection, Mapping

from mulligan.core.project_commands.automation import find_automated_linters, find_automated_tests
from mulligan.core.project_commands.javascript import find_javascript_linters, find_javascript_tests
from mulligan.core.project_commands.manifests import is_sample
from mulligan.core.project_commands.other_languages import find_other_linters, find_other_tests
from mulligan.core.project_commands.project import ProjectFolder
from mulligan.core.project_commands.python_linters import find_python_linters
from mulligan.core.project_commands.python_tests import find_python_tests
from mulligan.core.project_commands.shell import quote
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import ProjectCommand

INNER = (
    "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "manage.py", "pytest.ini", "tox.ini",
    "package.json", "deno.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
    "composer.json", "Gemfile", "mix.exs", "Package.swift", "*.sln", "*.csproj",
    "CMakeLists.txt", "Rakefile",
)  # fmt: skip
"""Manifests that make a folder a separate project."""
MAX_INNER_FOLDERS = 3
MAX_SEARCHED_FOLDERS = 40
"""Most folders with manifests to search for tests, topmost first: each search goes over all paths."""


def find_commands(files: Mapping[str, str], paths: Collection[str]) -> tuple[ProjectCommand, ...]:
    """Tests first, then linters. Empty if nothing is found.

    `files` are the texts of the files from `manifests_among`, `paths` all files of the project. The top folder decides;
    if it has no tests, the folders with their own manifests do.
    """
    top = ProjectFolder.at_top(files, paths)
    commands = _of_folder(top)
    if not any(command.kind == "test" for command in commands):
        commands += _of_inner_folders(top)
    return tuple(sorted(dict.fromkeys(commands), key=lambda command: command.kind != "test"))


def _of_folder(project: ProjectFolder) -> list[ProjectCommand]:
    tests = [*find_python_tests(project), *find_javascript_tests(project), *find_other_tests(project)]
    linters = [*find_python_linters(project), *find_javascript_linters(project), *find_other_linters(project)]
    return [*(tests or find_automated_tests(project)), *(linters or find_automated_linters(project))]


def inner_folders(top: ProjectFolder) -> list[str]:
    """Folders with their own manifests, topmost first."""
    manifests = [path for path in top.named(*INNER) if "/" in path]
    folders = {path.rpartition("/")[0] for path in manifests if not is_sample(path) and not is_test_file(path)}
    return sorted(folders, key=lambda folder: (folder.count("/"), folder))[:MAX_SEARCHED_FOLDERS]


def _of_inner_folders(top: ProjectFolder) -> list[ProjectCommand]:
    chosen: dict[str, list[ProjectCommand]] = {}
    for folder in inner_folders(top):
        if len(chosen) == MAX_INNER_FOLDERS or any(folder.startswith(f"{outer}/") for outer in chosen):
            continue
        commands = _of_folder(top.below(folder))
        if any(command.kind == "test" for command in commands):
            chosen[folder] = commands
    return [_entered(folder, command) for folder in sorted(chosen) for command in chosen[folder]]


def _entered(folder: str, command: ProjectCommand) -> ProjectCommand:
    return command.model_copy(
        update={
            "command": f"cd {quote(folder)} && {command.command}",
            "why": f"{command.why}, in {folder}",
            "defined_in": tuple(f"{folder}/{path}" for path in command.defined_in),
        }
    )
