"""Finds paths on the host that matter for a sandbox: homes, tools, repositories, secrets. Read once per turn or run."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mulligan.core.sandbox.profile import PRIVATE_FOLDER, Repository, Surroundings
from mulligan.core.secrets import holds_secrets, is_secret

TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm", "/private/tmp")  # noqa: S108  hidden, not used
HOMES = ("/home", "/root", "/Users")
"""Parents of home folders; `/root` is one itself."""
SYSTEM = frozenset({
    "Applications", "Library", "System", "bin", "boot", "cores", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32",
    "nix", "opt", "private", "proc", "sbin", "snap", "sys", "usr", "var",
})  # fmt: skip
"""Folders at the root with programs. Others may be private: other projects, disks, backups."""
BREW = "/home/linuxbrew/.linuxbrew"
TOOL_ENDS = frozenset({"bin", "sbin", "shims"})
SKIPPED = frozenset({"node_modules", "__pycache__", ".venv", "venv", "target", ".tox", ".mypy_cache", PRIVATE_FOLDER})
"""Large folders made by tools, where users do not put secrets."""
MAX_ENTRIES = 60_000
"""How many entries are searched for secrets and repositories. The rest of a larger tree is not searched."""


def find_host_paths(project: Path, mulligan_home: Path, environ: Mapping[str, str]) -> Surroundings:
    """Only reads the disk; runs nothing. `project` is a real path."""
    home = Path(os.path.realpath(environ.get("HOME") or Path.home()))
    elsewhere = (entry.path for entry in os.scandir("/") if entry.name not in SYSTEM and not entry.is_symlink())
    more = (environ.get("TMPDIR", ""), environ.get("XDG_RUNTIME_DIR", ""))
    hidden = _real([*TEMPORARY, *HOMES, *elsewhere, *more])
    secrets, git_folders = _found_in(project)
    return Surroundings(
        home=home,
        mulligan_home=Path(os.path.realpath(mulligan_home)),
        hidden=tuple(place for place in hidden if place != Path("/")),
        tools=tuple(place for place in dict.fromkeys(_tools(environ, home, project)) if not _is_closed(place)),
        repositories=tuple(dict.fromkeys([*_around(project), *git_folders])),
        secrets=secrets,
        sockets=_sockets(),
    )


def _real(places: Iterable[str]) -> list[Path]:
    return [Path(os.path.realpath(place)) for place in places if place and os.path.isdir(place)]  # noqa: PTH112  never raises


def _is_closed(place: Path) -> bool:
    """Whether it is in another user's folder, as in a search path inherited from root: bwrap would not start with
    it."""
    try:
        place.lstat()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _tools(environ: Mapping[str, str], home: Path, project: Path) -> Iterator[Path]:
    """Folders of the search path, of the active environment, and of the interpreters that they link to."""
    yield Path(sys.prefix)
    yield Path(sys.base_prefix)
    yield Path(sys.executable).parent
    for place in environ.get("PATH", "").split(os.pathsep):
        if place.startswith("/"):
            yield from _tool_folder(Path(place), home)
            yield from _tool_folder(Path(os.path.realpath(place)), home)
    yield Path(BREW)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT", "GOPATH"):
        if environ.get(variable, "").startswith("/"):
            yield Path(environ[variable])
    for name in (".venv", "venv"):
        folder = project / name
        if folder.is_symlink() and (folder / "pyvenv.cfg").is_file():
            yield Path(os.path.realpath(folder))
        yield from _base_of(folder / "pyvenv.cfg")


def _tool_folder(place: Path, home: Path) -> Iterator[Path]:
    """`~/.pyenv/shims` needs `~/.pyenv`; `~/bin` and `/tmp/x/bin` need nothing else."""
    yield place
    owner = next((each for each in (home, *_home_around(place)) if place.is_relative_to(each)), None)
    if owner and place.name in TOOL_ENDS and place.parent not in (owner, owner / ".local"):
        yield place.parent


def _home_around(place: Path) -> Iterator[Path]:
    """The home that contains a folder, if it is another user's: others use tools of root too."""
    for parent in map(Path, HOMES):
        if place.is_relative_to(parent):
            yield parent if parent == Path("/root") else parent / place.relative_to(parent).parts[0]


def _base_of(settings: Path) -> Iterator[Path]:
    """The installation that a virtual environment is based on."""
    try:
        lines = settings.read_text(encoding="utf-8", errors="replace").splitlines()[:50] if settings.is_file() else []
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and value.strip().startswith("/"):
            folder = Path(value.strip())
            bases = (folder.parent, Path(os.path.realpath(folder)).parent)
            yield from (base for base in bases if _is_interpreter(base))


def _is_interpreter(base: Path) -> bool:
    """Checked because `pyvenv.cfg` is a file of the project: it may name any folder, which would become readable."""
    return any((base / "bin").glob("python3*")) and any((base / "lib").glob("python3*"))


def _around(project: Path) -> Iterator[Repository]:
    """The repository of the project, whose top may be further up."""
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
            text = entry.read_text(encoding="utf-8", errors="replace").strip()
            if not text.startswith("gitdir:"):
                return
            git_dir = Path(os.path.realpath(entry.parent / text.removeprefix("gitdir:").strip()))
        else:
            return
        common = git_dir / "commondir"
        text = common.read_text(encoding="utf-8", errors="replace").strip() if common.is_file() else ""
    except OSError:
        return
    common_dir = Path(os.path.realpath(git_dir / text)) if text else git_dir
    if (git_dir / "HEAD").is_file() and _belong_together(entry, git_dir, common_dir):
        yield Repository(entry, git_dir, common_dir)


def _belong_together(entry: Path, git_dir: Path, common_dir: Path) -> bool:
    """A reference to another folder must be confirmed by that folder. Otherwise a file named `.git` would make any
    repository on the machine readable, and writable if git access is open."""
    if git_dir == entry and common_dir == git_dir and not entry.is_symlink():
        return True
    if common_dir != git_dir and git_dir.parent != common_dir / "worktrees":
        return False
    return any(os.path.realpath(named) == os.path.realpath(entry) for named in _work_trees(git_dir))


def _work_trees(git_dir: Path) -> Iterator[Path]:
    """The `.git` entries that a git folder names: of a linked work tree, of a submodule."""
    try:
        if (git_dir / "gitdir").is_file():
            yield git_dir / (git_dir / "gitdir").read_text(encoding="utf-8", errors="replace").strip()
        for line in (git_dir / "config").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip().casefold() == "worktree":
                yield git_dir / value.strip().strip('"') / ".git"
    except OSError:
        return


def _found_in(project: Path) -> tuple[tuple[Path, ...], list[Repository]]:
    """Secrets and repositories in the project."""
    secrets: list[Path] = []
    repositories: list[Repository] = []
    folders, left = [project], MAX_ENTRIES
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
                real = Path(os.path.realpath(place))
                if real.is_relative_to(project):  # targets outside can't be read anyway
                    secrets.append(real)
            elif entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
                folders.append(place)
    return tuple(secrets), repositories


def _sockets() -> tuple[Path, ...]:
    """Sockets of services. Connecting to one needs no write access to its folder."""
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace").splitlines()[1:]
    except OSError:
        return ()
    named = (line.split(maxsplit=7)[7:] for line in lines)
    return tuple(dict.fromkeys(Path(os.path.realpath(name)) for (name,) in filter(None, named) if name[0] == "/"))
