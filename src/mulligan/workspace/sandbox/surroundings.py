"""What lies around a project: homes, tools, repositories, secrets. Read once for each turn or run."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mulligan.core.sandbox.profile import PRIVATE_FOLDER, Repository, Surroundings
from mulligan.core.secrets import holds_secrets, is_secret

TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm", "/private/tmp")  # noqa: S108  hidden, not used
HOMES = ("/home", "/root", "/Users")
"""Where people's folders are; `/root` is one itself."""
TOOL_ENDS = frozenset({"bin", "sbin", "shims"})
SKIPPED = frozenset({"node_modules", "__pycache__", ".venv", "venv", "target", ".tox", ".mypy_cache", PRIVATE_FOLDER})
"""Large, made by tools, and not where a person puts secrets."""
MOST_ENTRIES = 60_000
"""Looked at for secrets and repositories. On a larger tree the rest is not looked at."""


def look_around(project: Path, mulligan_home: Path, environ: Mapping[str, str]) -> Surroundings:
    """Everything is looked up on the disk; nothing is run. `project` is a real path."""
    home = Path(os.path.realpath(environ.get("HOME") or Path.home()))
    hidden = _real([*TEMPORARY, *HOMES, environ.get("TMPDIR", ""), environ.get("XDG_RUNTIME_DIR", "")])
    secrets, git_folders = _found_in(project)
    return Surroundings(
        home=home,
        mulligan_home=Path(os.path.realpath(mulligan_home)),
        hidden=tuple(place for place in hidden if place != Path("/")),
        tools=tuple(dict.fromkeys(_tools(environ, home, project))),
        repositories=tuple(dict.fromkeys([*_around(project), *git_folders])),
        secrets=secrets,
    )


def _real(places: Iterable[str]) -> list[Path]:
    return [Path(os.path.realpath(place)) for place in places if place and Path(place).is_dir()]


def _tools(environ: Mapping[str, str], home: Path, project: Path) -> Iterator[Path]:
    """Folders of the search path, of the environment in use, and of the interpreters that they lead to."""
    yield Path(sys.prefix)
    yield Path(sys.base_prefix)
    yield Path(sys.executable).parent
    for place in environ.get("PATH", "").split(os.pathsep):
        if place.startswith("/"):
            yield from _tool_folder(Path(place), home)
            yield from _tool_folder(Path(os.path.realpath(place)), home)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT", "GOPATH"):
        if environ.get(variable, "").startswith("/"):
            yield Path(environ[variable])
    for name in (".venv", "venv"):
        folder = project / name
        if folder.is_symlink():
            yield Path(os.path.realpath(folder))
        yield from _base_of(folder / "pyvenv.cfg")


def _tool_folder(place: Path, home: Path) -> Iterator[Path]:
    """`~/.pyenv/shims` needs `~/.pyenv`; of `~/bin` and `/tmp/x/bin` nothing else is meant."""
    yield place
    owner = next((each for each in (home, *_home_around(place)) if place.is_relative_to(each)), None)
    if owner and place.name in TOOL_ENDS and place.parent not in (owner, owner / ".local"):
        yield place.parent


def _home_around(place: Path) -> Iterator[Path]:
    """Whose home a folder lies in, where it is not the person's own: tools of root are used by others too."""
    for parent in map(Path, HOMES):
        if place.is_relative_to(parent):
            yield parent if parent == Path("/root") else parent / place.relative_to(parent).parts[0]


def _base_of(settings: Path) -> Iterator[Path]:
    """Where the interpreter of a virtual environment comes from."""
    try:
        lines = settings.read_text(encoding="utf-8", errors="replace").splitlines()[:50] if settings.is_file() else []
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and value.strip().startswith("/"):
            yield Path(value.strip()).parent
            yield Path(os.path.realpath(value.strip())).parent


def _around(project: Path) -> Iterator[Repository]:
    """The repository that the project belongs to, which may begin further up."""
    for folder in (project, *project.parents):
        if (folder / ".git").exists():
            yield from _repository(folder / ".git")
            return


def _repository(entry: Path) -> Iterator[Repository]:
    """A folder, or a file that names one."""
    try:
        if entry.is_dir():
            git_dir = entry
        elif entry.is_file() and entry.stat().st_size < 4096:
            told = entry.read_text(encoding="utf-8", errors="replace").strip()
            if not told.startswith("gitdir:"):
                return
            git_dir = Path(os.path.realpath(entry.parent / told.removeprefix("gitdir:").strip()))
        else:
            return
        common = git_dir / "commondir"
        told = common.read_text(encoding="utf-8", errors="replace").strip() if common.is_file() else ""
    except OSError:
        return
    if (git_dir / "HEAD").is_file():
        yield Repository(entry, git_dir, Path(os.path.realpath(git_dir / told)) if told else git_dir)


def _found_in(project: Path) -> tuple[tuple[Path, ...], list[Repository]]:
    """Secrets, and repositories that lie in the project."""
    secrets: list[Path] = []
    repositories: list[Repository] = []
    folders, left = [project], MOST_ENTRIES
    while folders and left > 0:
        folder = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            place = Path(entry.path)
            if entry.name == ".git":
                repositories += _repository(place)
            elif holds_secrets(entry.name) or is_secret(entry.name):
                secrets.append(Path(os.path.realpath(place)))
            elif entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
                folders.append(place)
    return tuple(secrets), repositories
