"""One reader for each kind of manifest."""

import posixpath
from collections.abc import Callable

from mulligan.codecontext.manifests.by_pattern import reader_of
from mulligan.codecontext.manifests.compiled import cargo_toml, go_mod, gradle, maven
from mulligan.codecontext.manifests.facts import Facts
from mulligan.codecontext.manifests.known import frameworks_among
from mulligan.codecontext.manifests.scripting import (
    composer_json,
    package_json,
    pyproject,
    requirements,
    setup_cfg,
    setup_py,
)
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.types.codecontext import Framework

Reader = Callable[[str, str, ProjectPaths], Facts | None]
"""Takes the manifest's folder, its text, and the paths of the project."""

_READERS: dict[str, tuple[str, Reader]] = {
    "pyproject.toml": ("Python", pyproject),
    "setup.cfg": ("Python", setup_cfg),
    "setup.py": ("Python", setup_py),
    "requirements.txt": ("Python", requirements),
    "package.json": ("JavaScript", package_json),
    "go.mod": ("Go", go_mod),
    "cargo.toml": ("Rust", cargo_toml),
    "pom.xml": ("Java", maven),
    "build.gradle": ("Java", gradle),
    "build.gradle.kts": ("Java", gradle),
    "libs.versions.toml": ("Java", gradle),
    "composer.json": ("PHP", composer_json),
    "gemfile": ("Ruby", reader_of("gemfile")),
    ".gemspec": ("Ruby", reader_of(".gemspec")),
    ".csproj": ("C#", reader_of(".csproj")),
    ".fsproj": ("F#", reader_of(".csproj")),
    "cmakelists.txt": ("C++", reader_of("cmakelists.txt")),
    "mix.exs": ("Elixir", reader_of("mix.exs")),
    "package.swift": ("Swift", reader_of("package.swift")),
}
"""By the name of the file, or by its ending."""

_BY_LINES = frozenset({pyproject, setup_cfg, cargo_toml})
"""Readers that use Python's own parsers, which take quadratic time in the length of a line."""
MAX_MANIFEST_CHARS = 200_000
MAX_LINE_CHARS = 1_000


def is_manifest(path: str) -> bool:
    return _reader(path) is not None


def read_manifest(path: str, text: str, paths: ProjectPaths) -> Framework | None:
    """None if it is broken or has an unexpected structure."""
    found = _reader(path)
    if found is None:
        return None
    language, reader = found
    if len(text) > MAX_MANIFEST_CHARS or (reader in _BY_LINES and max(map(len, text.split("\n"))) > MAX_LINE_CHARS):
        return None
    try:
        facts = reader(posixpath.dirname(path), text, paths)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):  # a manifest may contain anything
        return None
    if facts is None:
        return None
    dependencies = tuple(dict.fromkeys(facts.dependencies))
    return Framework(
        manifest=path,
        language=_told_by(dependencies, language),
        name=facts.name,
        frameworks=frameworks_among(dependencies),
        dependencies=dependencies,
        scripts=tuple(facts.scripts.items()),
        entry_points=tuple(dict.fromkeys(facts.entry_points)),
    )


def _told_by(dependencies: tuple[str, ...], language: str) -> str:
    """The language, by its dependencies: some manifests serve two languages."""
    if language == "JavaScript" and "typescript" in dependencies:
        return "TypeScript"
    kotlin = language == "Java" and any(each.startswith("org.jetbrains.kotlin") for each in dependencies)
    return "Kotlin" if kotlin else language


def _reader(path: str) -> tuple[str, Reader] | None:
    name = path.rpartition("/")[2].lower()
    found = _READERS.get(name) or _READERS.get(posixpath.splitext(name)[1])
    if found:
        return found
    listed = name.startswith("requirements") and name.endswith(".txt")
    return _READERS["requirements.txt"] if listed else None
