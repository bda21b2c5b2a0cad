"""The texts that edits are cut from: the standard library, files of installed packages, and samples of our own."""

import os
import re
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random

SAMPLES = Path(__file__).parent / "samples"

LANGUAGES = {
    ".py": "python", ".js": "javascript", ".c": "c", ".h": "c", ".css": "css", ".md": "markdown", ".html": "html",
    ".yaml": "yaml", ".sql": "sql", ".rs": "rust", ".java": "java", ".go": "go", ".ts": "typescript", "": "make",
}  # fmt: skip

COMMENTS = {"python": "#", "yaml": "#", "make": "#", "sql": "--", "html": "<!--", "markdown": "<!--", "css": "/*"}
"""What starts a comment; `//` elsewhere."""

CLOSERS = {"<!--": " -->", "/*": " */"}

UNHEARD = ("bramble", "cobalt", "dahlia", "ember", "fathom", "gantry")
"""Words that no sample has."""

MAX_A_LANGUAGE = 60

WORD = re.compile(r"[^\W\d]\w*")
TOKEN = re.compile(r"\w+|[^\w\s]")
_ODD_LINE_ENDS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029\ufeff]")


@dataclass(frozen=True)
class Text:
    language: str
    name: str
    lines: tuple[str, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word.lower() for line in self.lines for word in WORD.findall(line))

    @cached_property
    def solid(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """The lines that are not blank: their number and their tokens."""
        return tuple((at, tokens(line)) for at, line in enumerate(self.lines) if line.strip())

    @property
    def content(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def tabbed(self) -> bool:
        return any(line.startswith("\t") for line in self.lines)


@cache
def texts() -> dict[str, tuple[Text, ...]]:
    """By language, in an order that is the same on every run on a machine."""
    library, packages = Path(os.__file__).parent, Path(sysconfig.get_path("purelib"))
    paths = [*library.glob("*.py"), *library.glob("email/*.py"), *library.glob("asyncio/*.py")]
    paths += [path for path in packages.rglob("*") if path.suffix in {".js", ".c", ".h", ".css", ".md", ".html"}]
    paths += Path(sysconfig.get_path("include")).glob("*.h")
    found: dict[str, list[Text]] = {}
    for path in [*sorted(SAMPLES.iterdir()), *sorted(paths)]:
        if text := _read(path, LANGUAGES[path.suffix]):
            found.setdefault(text.language, []).append(text)
    return {language: tuple(of[:: 1 + len(of) // MAX_A_LANGUAGE]) for language, of in sorted(found.items())}


def any_text(rng: Random) -> Text:
    languages = list(texts())
    return rng.choice(texts()[rng.choice([*languages, "python", "python"])])


def tokens(line: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(line.lower()))


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def borrowed(like: Text, indent: str, count: int, rng: Random) -> list[str] | None:
    """Lines of another text in the same language, none of which stands in this one, at this indentation."""
    others = [text for text in texts()[like.language] if text.name != like.name and text.tabbed == like.tabbed]
    if not others:
        return _varied(like, indent, count, rng)
    other = rng.choice(others)
    start = rng.randrange(max(1, len(other.lines) - count))
    lines = other.lines[start : start + count]
    here = {line.strip() for line in like.lines}
    if len(lines) < count or any(not line.strip() or line.strip() in here for line in lines):
        return None
    return rebased(lines, indent)


def _varied(text: Text, indent: str, count: int, rng: Random) -> list[str] | None:
    """Where a language has one text only: lines of it, each with a word that it does not have."""
    start = rng.randrange(max(1, len(text.lines) - count))
    lines = [WORD.sub(rng.choice(UNHEARD), line, count=1) for line in text.lines[start : start + count]]
    told = len(lines) == count and all(WORD.search(line) for line in lines)
    return rebased(lines, indent) if told else None


def rebased(lines: Sequence[str], indent: str) -> list[str] | None:
    """At another indentation; None if a line is indented less than the first."""
    first = indent_of(lines[0])
    if any(line.strip() and not line.startswith(first) for line in lines):
        return None
    return [indent + line[len(first) :] if line.strip() else line for line in lines]


def _read(path: Path, language: str) -> Text | None:
    if path.stat().st_size > 60_000:
        return None
    try:
        content = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    lines = tuple(content.removesuffix("\n").split("\n"))
    fits = 60 <= len(lines) <= 900 and max(map(len, lines)) < 240
    return Text(language, path.name, lines) if fits and not _ODD_LINE_ENDS.search(content) else None
