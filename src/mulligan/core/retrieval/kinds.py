"""Kinds of files by path, and how much each counts for a question."""

import re

from mulligan.core.retrieval.terms import SearchQuestion, stem
from mulligan.syntax.testfiles import is_test_file


def is_worth_reading(path: str) -> bool:
    """Not generated, not a lock file, not data that nobody reads."""
    return not _NOISE.search(path)


def is_overview(path: str) -> bool:
    """A document or manifest that describes the project as a whole."""
    return bool(_README.fullmatch(path) or _MANIFEST.fullmatch(path))


def asks_for_tests(question: SearchQuestion) -> bool:
    return not question.words.isdisjoint(_TESTS)


def describes_structure(path: str) -> bool:
    """A document, at the top or in docs/, about the project's structure."""
    return bool(_STRUCTURE.fullmatch(path))


def asks_for_structure(question: SearchQuestion) -> bool:
    """Whether it is about the project as a whole and its structure."""
    return all(term.text in _OF_THE_WHOLE | _OF_THE_STRUCTURE for term in question.terms)


def asks_for_overview(question: SearchQuestion) -> bool:
    """Whether it is about the project as a whole: it contains nothing else to search for."""
    return all(term.text in _OF_THE_WHOLE for term in question.terms)


def kind_weight(path: str, question: SearchQuestion) -> float:
    """How much a match in this file counts: tests, examples and histories less, unless tests are asked for.

    A question about how to run the tests does not ask for their content.
    """
    weight = 1.0
    if is_test_file(path) and (not question.words & _TESTS or _asks_how_to(question)):
        weight *= 0.35
    if _SIDE.search(path):
        weight *= 0.6
    return weight


def kind_bonus(path: str, question: SearchQuestion) -> float:
    """A bonus for a file where such questions are usually answered, whether or not it contains the words."""
    if _asks_how_to(question) and _HOW_TO_FILE.search(path):
        return 1.0
    return float(any(question.words & topic and places.search(path) for topic, places in _ANSWERED_IN))


def _asks_how_to(question: SearchQuestion) -> bool:
    if question.words & {"many", "much", "long", "often"}:
        return False
    return bool(question.words & {"how", "command", "commands"} and question.words & (_DOING | _TESTS))


_NOISE = re.compile(
    r"(^|/)(node_modules|vendor|third_party|dist|__snapshots__|\.git|\.idea|\.vscode)/"
    r"|(^|/)(package-lock\.json|npm-shrinkwrap\.json|go\.sum|composer\.lock|[\w.-]+\.lock|pnpm-lock\.yaml)$"
    r"|(^|/)requirements/[\w.-]+\.txt$"
    r"|\.(min\.js|min\.css|map|svg|png|jpe?g|gif|ico|pdf|zip|gz|woff2?|ttf|pb\.go|snap|csv|tsv|ipynb|log)$"
    r"|_pb2\.py$|\.generated\.\w+$",
    re.IGNORECASE,
)
_SIDE = re.compile(r"(^|/)(changelog|changes|history|news|examples?|samples?|bench(marks?)?|\.github)\b", re.IGNORECASE)
_README = re.compile(r"readme(\.\w+)?", re.IGNORECASE)
_MANIFEST = re.compile(
    r"pyproject\.toml|setup\.(py|cfg)|package\.json|go\.mod|cargo\.toml|pom\.xml|build\.gradle(\.kts)?|gemfile"
    r"|composer\.json|cmakelists\.txt|[\w.-]+\.(csproj|gemspec|cabal)|mix\.exs|deno\.json",
    re.IGNORECASE,
)
_HOW_TO_FILE = re.compile(
    r"^(readme[^/]*|contributing[^/]*|makefile|justfile|dockerfile|package\.json|tox\.ini)$", re.IGNORECASE
)
_TESTS = frozenset({"test", "tests", "tested", "testing", "spec", "specs", "fixture", "fixtures"})
_DOING = frozenset({"run", "start", "install", "setup", "build", "launch", "deploy", "execute", "lint"})

_OF_THE_WHOLE = frozenset(map(stem, (
    "overview", "summary", "summarise", "summarize", "purpose", "codebase", "program", "package", "library", "app",
    "application",
)))  # fmt: skip
_OF_THE_STRUCTURE = frozenset(map(stem, (
    "architecture", "structure", "structured", "design", "designed", "layout", "organised", "organized",
    "component", "module", "part", "piece", "framework", "stack", "technology", "build", "built", "main",
    "important", "together", "fit", "inside", "start",
)))  # fmt: skip
_STRUCTURE = re.compile(
    r"(?:docs?/)?(?:readme|contributing|hacking|architecture|design|internals|structure)[^/]*\.(?:md|rst|txt)",
    re.IGNORECASE,
)
_ANSWERED_IN = (
    (
        frozenset({"licence", "license", "licensed", "copyright"}),
        re.compile(r"(^|/)(licen[cs]e|copying)[^/]*$", re.IGNORECASE),
    ),
    (
        frozenset({"dependency", "dependencies", "depends", "depend", "requires", "libraries", "version", "packages"}),
        re.compile(rf"(^|/)({_MANIFEST.pattern}|requirements\.txt)$", re.IGNORECASE),
    ),
)
"""Words of a question, and the files that answer such questions."""
