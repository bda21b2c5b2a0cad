"""Narrows runners that take an option with the tests to run."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mulligan.core.project_commands.narrow_javascript import escaped
from mulligan.core.project_commands.shell import SimpleCommand, quote
from mulligan.types.fixing import FailingTest

FIRST_WORD = re.compile(r"\w+")
MAVEN_IF_NONE = ["-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"]
"""For modules that have none of these tests. Surefire has renamed the option."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How to tell a runner which tests to run."""

    program: re.Pattern[str]
    """Matches the runner and its test task in the command."""
    chosen: re.Pattern[str]
    """Matches a command that already runs selected tests."""
    words: Callable[[Sequence[FailingTest]], list[str]]
    """The words to add after the program's words."""
    at_program: bool = False
    """Directly after the program's words; otherwise at the end."""


def narrow_by_name(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    text = " ".join(command.texts)
    if any(test.id == test.path for test in tests) or "--" in command.texts:
        return None  # a file that could not be loaded has no test to name
    for selection in SELECTIONS:
        program = selection.program.search(text)
        if program and not selection.chosen.search(text):
            words = [quote(word) for word in dict.fromkeys(selection.words(tests))]
            index = len(text[: program.end()].split(" ")) if selection.at_program else len(command.words)
            return command.with_words([*command.words[:index], *words, *command.words[index:]])
    return None


def _rspec(tests: Sequence[FailingTest]) -> list[str]:
    return [f"--example={test.id}" for test in tests]


def _minitest(tests: Sequence[FailingTest]) -> str:
    """test-unit, which has the same output, knows a test only by its name."""
    names = [f"(?:{escaped(test.id.rpartition('#')[0])}#)?{escaped(test.name)}" for test in tests]
    return f"--name=/^(?:{'|'.join(names)})$/"


def _rake(tests: Sequence[FailingTest]) -> list[str]:
    """rake passes them to a shell."""
    return [f"TESTOPTS={quote(_minitest(tests))}"]


def _phpunit(tests: Sequence[FailingTest]) -> list[str]:
    """Laravel and Pest print a title instead of a method: all tests of its class are run."""
    methods = [f"{escaped(test.id)}(?: |$)" if "::" in test.id else f"{escaped(_class_of(test))}::" for test in tests]
    return [f"--filter=/(?:{'|'.join(dict.fromkeys(methods))})/"]


def _maven(tests: Sequence[FailingTest]) -> list[str]:
    methods: dict[str, list[str]] = {}
    for test in tests:
        methods.setdefault(_scope_of(test).rpartition(".")[2], []).append(_method_of(test))
    chosen = [f"{name}#{'+'.join(dict.fromkeys(each))}" if all(each) else name for name, each in methods.items()]
    return [f"-Dtest={','.join(chosen)}", *MAVEN_IF_NONE]


def _gradle(tests: Sequence[FailingTest]) -> list[str]:
    classes = [(_scope_of(test).partition(" > ")[0], _method_of(test)) for test in tests]
    return [f"--tests={'.'.join(filter(None, each))}" for each in classes]


def _dotnet(tests: Sequence[FailingTest]) -> list[str]:
    names = [test.id.partition("(")[0] for test in tests]
    return [f"--filter={'|'.join(dict.fromkeys(f'FullyQualifiedName~{name}' for name in names))}"]


def _ctest(tests: Sequence[FailingTest]) -> list[str]:
    return ["-R", f"^({'|'.join(escaped(test.name) for test in tests)})$"]


def _mix(tests: Sequence[FailingTest]) -> list[str]:
    return [f"--only=test:{test.name}" for test in tests]


def _swift(tests: Sequence[FailingTest]) -> list[str]:
    names = [f"{_scope_of(test).rpartition('.')[2]}/{_method_of(test)}" for test in tests]
    return [f"--filter={name.removeprefix('/')}" for name in names]


SELECTIONS = (
    Selection(re.compile(r"\brspec\b"), re.compile(r" (?:-e|-E|--example)|:\d+\b|\[\d"), _rspec),
    Selection(re.compile(r"\brails test\b"), re.compile(r" (?:-n|--name)|:\d+\b"), lambda tests: [_minitest(tests)]),
    Selection(re.compile(r"\brake test\b"), re.compile("TESTOPTS="), _rake),
    Selection(re.compile(r"^ruby .*_test\.rb\b"), re.compile(r" (?:-n|--name)"), lambda tests: [_minitest(tests)]),
    Selection(re.compile(r"\bphpunit\b|\bpest\b|\bartisan test\b"), re.compile("--filter"), _phpunit),
    Selection(re.compile(r"\bmvnw?\b.* (?:test|verify)\b"), re.compile("-D(?:it.)?test="), _maven),
    Selection(re.compile(r"\bgradlew?\b.*[ :]test\b"), re.compile("--tests"), _gradle, at_program=True),
    Selection(re.compile(r"\bdotnet test\b"), re.compile("--filter"), _dotnet),
    Selection(re.compile(r"\bctest\b"), re.compile(r" -[REIL]\b|--tests-|--rerun-failed"), _ctest),
    Selection(re.compile(r"\bmix test\b"), re.compile(r"--only|--failed|--stale|:\d+\b"), _mix),
    Selection(re.compile(r"\bswift test\b"), re.compile("--filter|--skip"), _swift),
)
"""In the order to try them: Rails and rake run minitest."""


def _scope_of(test: FailingTest) -> str:
    return test.id.removesuffix(test.name).rstrip(".")


def _class_of(test: FailingTest) -> str:
    return test.id.partition(" > ")[0].rpartition("\\")[2]


def _method_of(test: FailingTest) -> str:
    """Without what a parameterised test adds to it; empty if there is a title instead."""
    found = FIRST_WORD.match(test.name)
    return found[0] if found and test.name[found.end() : found.end() + 1] in ("", "(", "[", "{") else ""
