"""Files of a project that no checkpoint brings back: a command that nobody was asked about may only read them."""

from collections.abc import Iterable
from pathlib import Path

from mulligan.types.errors import MulliganError
from mulligan.workspace.git import open_repository

MADE_AGAIN = frozenset({
    ".cache", ".coverage", ".eggs", ".gradle", ".hypothesis", ".mypy_cache", ".next", ".nox", ".nuxt",
    ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit", ".tox", ".turbo", ".venv", ".vite", "__pycache__",
    "bin", "build", "coverage", "dist", "env", "htmlcov", "node_modules", "obj", "out", "target", "venv", ".mulligan",
})  # fmt: skip
"""Made by tools, and made again by them."""
MADE_AGAIN_ENDINGS = (".pyc", ".pyo", ".o", ".so", ".class", ".egg-info", ".tsbuildinfo", ".log", ".tmp", ".swp")
MOST = 200
"""Each is a mount of its own. Where there are more, the user is asked instead."""


async def find_uncovered(project: Path, not_covered: Iterable[str]) -> tuple[Path, ...] | None:
    """What is ignored, and what the checkpoint says it left out. None if that can't be told, or is too much."""
    try:
        git = await open_repository(project)
        listed = await git.run("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    except MulliganError:
        return None
    places = [git.work_tree / name for name in (*listed.fields, *not_covered) if not _is_made_again(name)]
    inside = [place for place in places if place.is_relative_to(project)]
    return tuple(inside) if len(inside) <= MOST else None


def _is_made_again(name: str) -> bool:
    last = name.rstrip("/").rpartition("/")[2]
    return last in MADE_AGAIN or last.endswith(MADE_AGAIN_ENDINGS)
