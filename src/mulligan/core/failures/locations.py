"""The places in the code that an output points to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.core.failures.text import readable_lines

MAX_LOCATIONS = 200
MAX_PATH_CHARS = 400

PYTHON_FRAME = re.compile(r'[#\s]*File "([^"]{1,400})", line (\d{1,7})')
PYTEST_FRAME = re.compile(r"([^\s:]{1,400}\.pyi?):(\d{1,7}): (?=$|in |[A-Z]\w*$)")
TSC_LOCATION = re.compile(r"([^\s():]{1,400})\((\d{1,7}),\d+\): ")
JAVA_FRAME = re.compile(r"\s*at (?:\S+/)?([\w$.]{1,400})\((\w{1,200}\.(?:java|kt|scala|groovy)):(\d{1,7})\)")
DOTNET_FRAME = re.compile(r"\s+at .{1,400} in (\S.{0,400}):line (\d{1,7})$")
MAVEN_LOCATION = re.compile(r"\[ERROR\] ([^\s:]{1,400}):\[(\d{1,7}),\d+\]")
ESLINT_ROW = re.compile(r"\s+(\d{1,7}):\d+\s+(?:error|warning)\s")
TOKEN = re.compile(r"""[^\s()"'`<>\[\]{},;|=]+""")
LOCATION = re.compile(r"([^:]{1,400}):(\d{1,7})(?!\d)")
EXTENSION = re.compile(r"\.[A-Za-z]\w{0,5}$")

BEGINS_FAILURE = re.compile(r"_{2,} \S.* _{2,}$|={3,}|Traceback \(most recent call last\)|―{3,} ")
"""From here on, frames belong to another failure."""
INNERMOST_FIRST = "(most recent call first)"

FOREIGN = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|rustc|\.cargo|\.rustup|gems|vendor|CMakeFiles)/|/lib/python\d"
    r"|/pkg/mod/|^/usr/(?:lib|share|local/go|local/lib)/|^(?:node:|internal/|<)|(?:^|/)importlib/_bootstrap|/bin/[^/]+$"
)
"""Code of the language or of a dependency."""
FOREIGN_ELIXIR = re.compile(r"\s+\((?:elixir|stdlib|kernel|ex_unit|mix|logger|eex|iex) [\d.]+\) ")
FOREIGN_JAVA = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy)\.|org\.(?:junit|apache|opentest4j|gradle)\."
)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A line of a file."""

    path: str
    """As printed: relative, absolute, or only its end (Go names a test's file without its folder, Java gives the
    package)."""
    line: int


def locations_in(text: str) -> tuple[SourceLocation, ...]:
    """Files and lines in tracebacks and errors, the innermost of each first, without duplicates.

    Code of the language itself and of dependencies is left out.
    """
    found: dict[SourceLocation, None] = {}
    for location in _in_order(readable_lines(text)):
        found.setdefault(location)
        if len(found) >= MAX_LOCATIONS:
            break
    return tuple(found)


def _in_order(lines: list[str]) -> Iterator[SourceLocation]:
    """Python prints the innermost frame last, so its order is reversed; all others print it first."""
    frames: list[SourceLocation] = []
    inward = True
    heading = ""
    for line in lines:
        if BEGINS_FAILURE.match(line) or INNERMOST_FIRST in line:
            yield from reversed(frames)
            frames, inward = [], INNERMOST_FIRST not in line
        python = PYTHON_FRAME.match(line) or PYTEST_FRAME.match(line)
        if python and inward:
            frames += _location(python[1], python[2])
        elif python:
            yield from _location(python[1], python[2])
        elif not (frames and line[:1].isspace()):  # indented lines below frames are their source
            others = _others(line, heading)
            yield from reversed(frames if others else [])
            frames = [] if others else frames
            yield from others
        if line[:1].strip():
            heading = line
    yield from reversed(frames)


def _others(line: str, heading: str) -> list[SourceLocation]:
    row = ESLINT_ROW.match(line)
    if row and EXTENSION.search(heading[-60:]):
        return _location(heading.strip(), row[1])
    java = JAVA_FRAME.match(line)
    if java:
        package = java[1].rsplit(".", 2)[0] if java[1].count(".") > 1 else ""
        path = f"{package.replace('.', '/')}/{java[2]}" if package else java[2]
        return [] if FOREIGN_JAVA.match(java[1]) else _location(path, java[3])
    if FOREIGN_ELIXIR.match(line):
        return []
    located = DOTNET_FRAME.match(line) or TSC_LOCATION.match(line) or MAVEN_LOCATION.match(line)
    if located:
        return _location(located[1], located[2])
    return [location for token in TOKEN.findall(line) if ":" in token for location in _in_token(token)]


def _in_token(token: str) -> list[SourceLocation]:
    match = LOCATION.match(token.removeprefix("file://"))
    return _location(match[1], match[2]) if match and EXTENSION.search(match[1][-60:]) else []


def _location(path: str, line: str) -> list[SourceLocation]:
    path = path.removeprefix("file://").removeprefix("./")
    return [] if FOREIGN.search(path) or len(path) > MAX_PATH_CHARS else [SourceLocation(path, int(line))]
