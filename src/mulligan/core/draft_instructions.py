"""Drafts an AGENTS.md from what a project's files say, and nothing else."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from posixpath import commonpath, dirname

from mulligan.core.markdown_text import clean_line, code
from mulligan.core.project_commands.javascript import LOCKS
from mulligan.syntax.file_types import file_type
from mulligan.syntax.skipping import skip_by_path
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.codecontext import Framework, Overview
from mulligan.types.fixing import ProjectCommand

HEAD = (
    "<!-- Drafted by `mulligan init` from this project's files. Correct it, and add what files can't tell: what to do, "
    "what not to touch, and why. Comments like this one are not sent to a model. -->"
)
MAX_COMMANDS, MAX_FOLDERS, MAX_ENTRY_POINTS, MAX_DOCUMENTS, MAX_CONVENTIONS = 8, 12, 5, 4, 12
"""So that the file stays below 60 lines in any project."""
AGREED = 0.8
"""Share of the sampled files that must agree on a convention."""
MIN_FILES = 3
MAX_QUOTE_CHARS = 120
"""Characters to quote from a project's file."""

VERSIONS = (
    ("pyproject.toml", r"^requires-python\s*=\s*[\"']([^\"'\n]+)", "Python {}"),
    (".python-version", r"^([\w.-]+)\s*$", "Python {}"),
    ("package.json", r"\"engines\"\s*:\s*\{[^{}]*\"node\"\s*:\s*\"([^\"\n]+)\"", "Node.js {}"),
    (".nvmrc", r"^(v?[\w./-]+)\s*$", "Node.js {}"),
    ("go.mod", r"^go\s+([\w.]+)", "Go {}"),
    ("Cargo.toml", r"^edition\s*=\s*\"(\d+)\"", "Rust edition {}"),
    ("Cargo.toml", r"^rust-version\s*=\s*\"([^\"\n]+)\"", "Rust {}"),
    (".ruby-version", r"^([\w.-]+)\s*$", "Ruby {}"),
    ("composer.json", r"\"php\"\s*:\s*\"([^\"\n]+)\"", "PHP {}"),
    ("pom.xml", r"<(?:maven\.compiler\.release|java\.version)>([^<\n]+)<", "Java {}"),
    ("mix.exs", r"elixir:\s*\"([^\"\n]+)\"", "Elixir {}"),
)
"""A file at the top, where it names a version, and of what."""

FORMATTERS = (
    ("ruff format", "pyproject.toml", r"^\[tool\.ruff\.format\]"),
    ("ruff format", "ruff.toml", r"^\[format\]"),
    ("black", "pyproject.toml", r"^\[tool\.black\]"),
    ("Prettier", ".prettierrc*", ""),
    ("Prettier", "prettier.config.*", ""),
    ("Biome", "biome.json*", ""),
    ("rustfmt", "*rustfmt.toml", ""),
    ("clang-format", ".clang-format", ""),
    ("RuboCop", ".rubocop.yml", ""),
    ("PHP CS Fixer", ".php-cs-fixer*", ""),
    ("StyLua", "*stylua.toml", ""),
)
LINE_LENGTHS = (
    ("pyproject.toml", r"^line[-_]length\s*=\s*(\d+)"),
    ("ruff.toml", r"^line-length\s*=\s*(\d+)"),
    (".editorconfig", r"^max_line_length\s*=\s*(\d+)"),
    (".prettierrc*", r"[\"']?printWidth[\"']?\s*:\s*(\d+)"),
)
READ_AT_TOP = tuple(dict.fromkeys([*(row[0] for row in (*VERSIONS, *LINE_LENGTHS)), *(row[1] for row in FORMATTERS)]))
"""Files at the top that show conventions; some are globs."""
DOCUMENT = re.compile(r"(?:docs?/)?(?:readme|contributing|architecture|design|hacking)\.\w+", re.IGNORECASE)
"""Documents about the project as a whole."""
BUILD_TARGET = re.compile(r"^build[ \t]*:(?!=)", re.MULTILINE)
MAKEFILES = (("make", "GNUmakefile"), ("make", "makefile"), ("make", "Makefile"), ("just", "justfile"))


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    name: str
    paths: Sequence[str]
    """All files."""
    overview: Overview
    frameworks: Sequence[Framework]
    commands: Sequence[ProjectCommand]
    """Commands that test and lint it."""
    at_top: Mapping[str, str]
    """Texts of files in the top folder: those named by `READ_AT_TOP`, Makefiles and manifests."""
    samples: Mapping[str, str]
    """The contents of some source files."""


def draft_instructions(facts: ProjectFacts) -> str:
    """The file's text."""
    sections = (
        ("Commands", [*_commands(facts)][:MAX_COMMANDS]),
        ("Layout", [*_layout(facts)]),
        ("Conventions seen", [*_conventions(facts)][:MAX_CONVENTIONS]),
    )
    lines = [
        f"# Working on {_plain(facts.name)}",
        "",
        HEAD,
    ]
    for title, rows in sections:
        lines += ["", f"## {title}", "", *(f"- {row}" for row in rows)] if rows else []
    return "\n".join([*lines, ""])


def is_read_at_top(name: str) -> bool:
    return any(fnmatchcase(name, each) for each in (*READ_AT_TOP, *(file for _, file in MAKEFILES)))


def indentation(text: str) -> str | None:
    """`tabs`, or the number of spaces per level; None if too few lines show it."""
    tabs, steps, before = 0, Counter[int](), 0
    for line in text.splitlines():
        unindented = line.lstrip(" \t")
        # Comments and strings are indented freely.
        if not unindented or unindented.startswith(("*", "#", "//")):
            continue
        tabs += line.startswith("\t")
        indent = len(line) - len(line.lstrip(" "))
        if indent > before:
            steps[indent - before] += 1
        before = indent
    if tabs > sum(steps.values()):
        return "tabs"
    step, count = steps.most_common(1)[0] if steps else (0, 0)
    return f"{step} spaces" if step in {2, 3, 4, 8} and count >= MIN_FILES else None


def _commands(facts: ProjectFacts) -> Iterator[str]:
    for kind, word in (("test", "Test"), ("lint", "Check")):
        for command in facts.commands:
            if command.kind == kind:
                yield f"{word}: {code(command.command)} ({_plain(command.why)})"
    yield from _builds(facts)
    if not any(command.kind == "test" for command in facts.commands):
        yield "No command that runs tests was found."


def _builds(facts: ProjectFacts) -> Iterator[str]:
    scripts = {name for each in facts.frameworks if each.manifest == "package.json" for name, _ in each.scripts}
    if "build" in scripts:
        manager = next((name for name, locks in LOCKS if not set(locks).isdisjoint(facts.paths)), "npm")
        yield f"Build: {code(f'{manager} run build')} (scripts.build in package.json)"
    for program, file in MAKEFILES:
        if BUILD_TARGET.search(facts.at_top.get(file, "")):
            yield f"Build: {code(f'{program} build')} (target `build` in {file})"
            return


def _layout(facts: ProjectFacts) -> Iterator[str]:
    inside: dict[str, list[str]] = {}
    for path in facts.paths:
        folder, slash, _ = path.partition("/")
        if slash and not folder.startswith(".") and skip_by_path(path, 0) is None:
            inside.setdefault(folder, []).append(path)
    largest = sorted(inside, key=lambda folder: (-len(inside[folder]), folder))
    for folder in sorted(largest[:MAX_FOLDERS]):
        # A folder with a single subfolder is named together with it: `src/shop/`.
        whole = commonpath([dirname(path) for path in inside[folder]])
        yield f"{code(f'{whole}/')}: {_holds(whole, inside[folder])}"
    if len(largest) > MAX_FOLDERS:
        yield f"and {len(largest) - MAX_FOLDERS} smaller folders"
    for start in facts.overview.entry_points[:MAX_ENTRY_POINTS]:
        yield f"Starts at {code(start.path)}: {_plain(start.what)}"
    documents = [path for path in facts.overview.documents if DOCUMENT.fullmatch(path)][:MAX_DOCUMENTS]
    if documents:
        yield f"Documents: {', '.join(map(code, documents))}"


def _holds(folder: str, paths: Sequence[str]) -> str:
    """A folder's content: `tests, 40 files, Python; core, models`."""
    tests = sum(map(is_test_file, paths)) > AGREED * len(paths)
    kinds = Counter(kind.name for path in paths if (kind := file_type(path)))
    kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
    parts = [*(["tests"] if tests else []), f"{len(paths):,} {'file' if len(paths) == 1 else 'files'}"]
    parts += [f"{'mostly ' if count < len(paths) else ''}{kind}"] if count > len(paths) / 2 else []
    depth = folder.count("/") + 1
    below = Counter(path.split("/")[depth] for path in paths if path.count("/") > depth)
    named = [name for name, _ in below.most_common(6)]
    more = len(below) - len(named)
    listed = ", ".join(code(name) for name in sorted(named)) + (f" and {more} more" if more > 0 else "")
    return ", ".join(parts) + (f"; in it {listed}" if named else "")


def _conventions(facts: ProjectFacts) -> Iterator[str]:
    for words, value, path in _rule_values(facts.at_top, ((path, rule, words) for path, rule, words in VERSIONS)):
        yield f"{words.format(code(value))} ({path})"
    made_with = dict.fromkeys(name for each in facts.frameworks for name in each.frameworks)
    if made_with:
        yield f"Made with {', '.join(map(_plain, [*made_with][:10]))}"
    for name, glob, rule in FORMATTERS:
        for path in sorted(facts.at_top):
            if fnmatchcase(path, glob) and re.search(rule, facts.at_top[path], re.MULTILINE):
                yield f"Formatted by {name} ({path})"
    for _, value, path in _rule_values(facts.at_top, ((path, rule, "") for path, rule in LINE_LENGTHS)):
        yield f"Lines have up to {value} characters ({path})"
        break
    yield from _indentations(facts.samples)
    yield from _tests(facts.paths)


def _rule_values(files: Mapping[str, str], rules: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """A rule's label, the value found in the file, and the file's name."""
    for glob, rule, words in rules:
        for path in sorted(files):
            if fnmatchcase(path, glob) and (found := re.search(rule, files[path], re.MULTILINE)):
                yield words, found[1].strip(), path


def _indentations(samples: Mapping[str, str]) -> Iterator[str]:
    seen: dict[str, Counter[str]] = {}
    for path, text in samples.items():
        kind, indent = file_type(path), indentation(text)
        if kind and kind.is_code and indent:
            seen.setdefault(kind.name, Counter())[indent] += 1
    for language, counts in sorted(seen.items()):
        indent, count = counts.most_common(1)[0]
        if count >= max(MIN_FILES, AGREED * counts.total()):
            yield f"{language} is indented by {indent} ({count} of {counts.total()} files that were looked at)"


def _tests(paths: Sequence[str]) -> Iterator[str]:
    """Where tests are, if nearly all of them are there."""
    tests = [path for path in paths if is_test_file(path) and (kind := file_type(path)) and kind.is_code]
    tops = Counter(path.partition("/")[0] for path in tests if "/" in path)
    if not tops or len(tests) < MIN_FILES:
        return
    top, count = tops.most_common(1)[0]
    inside_tests = all(is_test_file(path) for path in tests if path.startswith(f"{top}/")) and is_test_file(f"{top}/x")
    if count >= AGREED * len(tests) and inside_tests:
        yield f"Tests are in {code(f'{top}/')}"
    elif not inside_tests:
        yield "Tests are next to the code that they test"


def _plain(text: str) -> str:
    return clean_line(text, MAX_QUOTE_CHARS)
