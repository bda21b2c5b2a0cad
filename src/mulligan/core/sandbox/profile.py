"""What a command gets in the sandbox, from what is around the project."""

from collections.abc import Iterable
from pathlib import Path

from mulligan.types.frozen import frozen
from mulligan.types.sandbox import ExtraAccess, Limits, SandboxProfile

TOOL_FOLDERS = (
    ".asdf", ".bun/bin", ".cargo", ".deno", ".dotnet", ".jdks", ".juliaup", ".local/bin", ".local/lib",
    ".local/share/fnm", ".local/share/mise", ".local/share/pipx", ".local/share/pnpm", ".local/share/uv", ".nvm",
    ".opam", ".pyenv", ".rbenv", ".rustup", ".rvm", ".sdkman", ".volta", "bin", "miniconda3", "miniforge3",
)  # fmt: skip
"""Where tools are usually installed in a home folder."""

CACHE_FOLDERS = (
    ".bundle/cache", ".cache/ms-playwright", ".cache/pip", ".cache/pre-commit", ".composer/cache", ".gradle/wrapper",
    ".ivy2/cache", ".m2/repository", ".npm/_cacache", ".nuget/packages", "go/pkg/mod",
)  # fmt: skip
"""What builds downloaded before: they can read it, but not change it."""

HOME_SECRETS = (
    ".aws", ".azure", ".cargo/credentials", ".cargo/credentials.toml", ".config", ".docker", ".gnupg", ".kube",
    ".git-credentials", ".m2/settings.xml", ".mulligan", ".netrc", ".npmrc", ".password-store", ".pypirc", ".ssh",
)  # fmt: skip
"""In a home folder; masked wherever a visible folder would show them."""

KEPT_FROM_GIT_WRITES = ("commondir", "config", "config.worktree", "hooks", "info", "mulligan", "refs/mulligan")
"""In a writable repository: what runs programs, and what undoes things."""

PRIVATE_FOLDER = ".mulligan"


@frozen
class Repository:
    """A git folder that belongs to a project, or is inside it."""

    entry: Path
    """The `.git` of the work tree: the folder itself, or a file that names it."""
    git_dir: Path
    """Of the work tree, with the index and HEAD."""
    common_dir: Path
    """Objects and refs; equal to `git_dir`, except in a linked work tree."""


@frozen
class Surroundings:
    """What was found around a project. All paths are absolute and resolved."""

    home: Path
    mulligan_home: Path
    hidden: tuple[Path, ...]
    """Homes, temporary folders, sockets of services."""
    tools: tuple[Path, ...]
    """Folders that PATH and the interpreters in use need."""
    repositories: tuple[Repository, ...]
    secrets: tuple[Path, ...]
    """Secret files and folders in the project."""
    sockets: tuple[Path, ...] = ()
    """Of services that run on this machine."""


def build_profile(
    project: Path,
    around: Surroundings,
    *,
    cache: Path,
    limits: Limits,
    access: ExtraAccess,
    kept: tuple[Path, ...] = (),
    writable: bool = True,
) -> SandboxProfile:
    """`kept` is what no checkpoint can restore. If the project is not `writable`, only what was opened is."""
    hidden = outermost(
        place for place in (*around.hidden, around.home, around.mulligan_home) if not place.is_relative_to(project)
    )
    shown = (
        *(around.home / name for name in (*TOOL_FOLDERS, *CACHE_FOLDERS)),
        # PATH may contain a whole home, or `/tmp`. No tool is worth showing that.
        *(tool for tool in around.tools if not holds_any(tool, (*hidden, around.home, around.mulligan_home))),
        *access.read,
        project,
        *(folder for each in around.repositories for folder in (each.git_dir, each.common_dir)),
    )
    inside = [place for place in (around.mulligan_home, around.home) if place.is_relative_to(project)]
    home_secrets = [around.home / name for name in HOME_SECRETS]
    sockets = [each for each in around.sockets if not each.is_relative_to(project)]
    return SandboxProfile(
        home=around.home,
        hidden=hidden,
        readable=tuple(dict.fromkeys(place for place in shown if within(place, hidden))),
        writable=(*((project,) if writable else ()), *access.write, *_written_by_git(around.repositories, access)),
        protected=_protected(project, around.repositories, access),
        kept=() if access.ignored else kept,
        masked=_masked((*around.secrets, *home_secrets, *inside), project, access) + _shown(sockets, hidden, shown),
        cache=cache,
        limits=limits,
        network=access.network,
        repositories=tuple(
            dict.fromkeys(
                [project / ".git", *(place for each in around.repositories for place in (each.entry, each.git_dir))]
            )
        ),
    )


def outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """Without those inside another."""
    found: list[Path] = []
    for place in sorted(set(places)):
        if not found or not place.is_relative_to(found[-1]):
            found.append(place)
    return tuple(found)


def within(place: Path, folders: Iterable[Path]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def holds_any(folder: Path, places: Iterable[Path]) -> bool:
    return any(place.is_relative_to(folder) for place in places)


def _shown(places: Iterable[Path], hidden: Iterable[Path], shown: Iterable[Path]) -> tuple[Path, ...]:
    hidden, shown = tuple(hidden), tuple(shown)
    return tuple(place for place in places if not within(place, hidden) or within(place, shown))


def _written_by_git(repositories: Iterable[Repository], access: ExtraAccess) -> tuple[Path, ...]:
    if not access.git:
        return ()
    return tuple(folder for each in repositories for folder in (each.git_dir, each.common_dir))


def _protected(project: Path, repositories: Iterable[Repository], access: ExtraAccess) -> tuple[Path, ...]:
    links = [each.entry for each in repositories if each.entry != each.git_dir]
    folders = dict.fromkeys(folder for each in repositories for folder in (each.git_dir, each.common_dir))
    if access.git:
        inside = (folder / name for folder in folders for name in KEPT_FROM_GIT_WRITES)
        return (*inside, *links, project / PRIVATE_FOLDER)
    return (*folders, *links, project / PRIVATE_FOLDER)


def _masked(places: tuple[Path, ...], project: Path, access: ExtraAccess) -> tuple[Path, ...]:
    """What the user opened by name is shown. A project is never masked, nor a folder above it."""
    opened = (*access.read, *access.write)
    return tuple(
        place for place in dict.fromkeys(places) if not within(place, opened) and not project.is_relative_to(place)
    )
