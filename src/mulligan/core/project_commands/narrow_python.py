"""Narrows pytest, unittest and Django's runner to a few tests."""

import re
from collections.abc import Sequence

from mulligan.core.project_commands.shell import SimpleCommand, quote
from mulligan.types.fixing import FailingTest

PYTEST_VALUED = frozenset(
    {"-k", "-m", "-n", "-p", "-c", "-o", "-W", "-r", "--deselect", "--ignore", "--ignore-glob", "--rootdir", "--tb",
     "--confcutdir", "--basetemp", "--junitxml", "--junit-xml", "--cov-report", "--cov-config", "--maxfail",
     "--durations", "--color", "--import-mode", "--dist", "--numprocesses", "--timeout", "--log-level", "--capture",
     "--override-ini", "--config-file", "--ds", "--reruns", "--cov"}
)  # fmt: skip
PYTEST_FLAGS = frozenset(
    {"-x", "-q", "-v", "-s", "-l", "--lf", "--ff", "--quiet", "--verbose", "--exitfirst", "--strict-markers",
     "--strict-config", "--no-header", "--no-summary", "--disable-warnings", "--showlocals",
     "--doctest-modules", "--no-cov", "--strict"}
)  # fmt: skip
DJANGO_VALUED = frozenset({"--settings", "--pythonpath", "--parallel", "--tag", "--exclude-tag", "-v", "--verbosity",
                           "--testrunner", "-t", "-p", "--pattern", "-k"})  # fmt: skip
DJANGO_FLAGS = frozenset({"--noinput", "--no-input", "--failfast", "--keepdb", "--force-color", "--no-color"})
UNITTEST_FLAGS = frozenset({"-v", "--verbose", "-q", "--quiet", "-f", "--failfast", "-c", "--catch", "-b", "--buffer",
                            "--locals"})  # fmt: skip
DISCOVERY_OPTIONS = {"-s": "start", "--start-directory": "start", "-t": "top", "--top-level-directory": "top",
                     "-p": "pattern", "--pattern": "pattern"}  # fmt: skip

IN_A_FILE = re.compile(r"[^:]+\.(?:py|txt|rst|md)(?:::.+)?")
DOTTED = re.compile(r"(?:unittest\.loader\._FailedTest\.)?((?:\w+\.)*\w+)(?:\s*[\[(].*)?")
"""The name comes before what a subtest adds. Unittest itself names a module that could not be imported."""
PER_CLASS = re.compile(r"\.(?:setUpClass|tearDownClass|setUpModule|tearDownModule)$")


def narrow_pytest(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    at = _index_of(command, "pytest", "py.test")
    if at is None or not all(IN_A_FILE.fullmatch(test.id) for test in tests):
        return None
    options = _options(command, at + 1, PYTEST_VALUED, PYTEST_FLAGS)
    if options is None:
        return None
    # pytest takes a leading `-` for an option, and `@` for a file of arguments.
    ids = [f"./{test.id}" if test.id[0] in "-@" else test.id for test in tests]
    # Before the options: the last of them may take a value, and would take an id.
    return command.with_words([*command.words[: at + 1], *map(quote, dict.fromkeys(ids)), *options])


def narrow_unittest(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    at = _index_of(command, "unittest")
    names = _dotted(tests)
    if at is None or command.texts[at - 1] != "-m" or not names:
        return None
    discovery = _read_discovery(command, at + 1)
    if not discovery:
        return None
    flags, top = discovery
    folder = top.removeprefix("./").rstrip("/")
    # Discovery imports from this folder; a bare name imports from the current one.
    assigned = f'PYTHONPATH="$PWD"/{quote(folder)}:"$PYTHONPATH" ' if folder not in ("", ".") else ""
    return command.with_words([*command.words[: at + 1], *flags, *names], assigned=assigned)


def narrow_django(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    at = _index_of(command, "manage.py")
    names = _dotted(tests)
    if at is None or command.texts[at + 1 : at + 2] != ("test",) or not names:
        return None
    options = _options(command, at + 2, DJANGO_VALUED, DJANGO_FLAGS)
    return None if options is None else command.with_words([*command.words[: at + 2], *names, *options])


def _index_of(command: SimpleCommand, *programs: str) -> int | None:
    """The runner's position in the words: it may be called by a path, as a module, or through `uv run` or similar."""
    for at, text in enumerate(command.texts):
        if text.rpartition("/")[2] in programs:
            return at
    return None


def _options(command: SimpleCommand, start: int, valued: frozenset[str], flags: frozenset[str]) -> list[str] | None:
    """The options, without paths or names; None if they can't be told apart."""
    kept: list[str] = []
    before = ""
    for word, text in zip(command.words[start:], command.texts[start:], strict=True):
        if text.startswith("-") or before in valued:
            kept.append(word)
        elif before.startswith("--") and before not in flags and "=" not in before:
            return None
        before = text
    return kept


def _dotted(tests: Sequence[FailingTest]) -> list[str] | None:
    matches = [DOTTED.fullmatch(test.id) for test in tests]
    if not all(matches) or any("__main__" in test.id for test in tests):
        return None
    return list(dict.fromkeys(PER_CLASS.sub("", match[1]) for match in matches if match))


def _read_discovery(command: SimpleCommand, start: int) -> tuple[list[str], str] | None:
    """Flags to keep, and the folder from which to import."""
    options: dict[str, str] = {}
    flags: list[str] = []
    operands: list[str] = []
    texts = iter(command.texts[start:])
    for text in texts:
        option, _, value = text.partition("=")
        if option in DISCOVERY_OPTIONS:
            options[DISCOVERY_OPTIONS[option]] = value or next(texts, "")
        elif text in UNITTEST_FLAGS:
            flags.append(text)
        elif text.startswith("-"):
            return None
        else:
            operands.append(text)
    if operands[:1] == ["discover"]:
        options = dict(zip(("start", "pattern", "top"), operands[1:4], strict=False)) | options
    return flags, options.get("top") or options.get("start") or "."
