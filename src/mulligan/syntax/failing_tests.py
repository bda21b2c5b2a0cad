"""Where failing tests are in their files, and the few other lines of the file that they use."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mulligan.syntax.blanking import blank_literals, closing_bracket
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.functions import CodeFunction, functions_in, innermost, names_in
from mulligan.syntax.registry import language_of
from mulligan.syntax.statements import top_level
from mulligan.types.fixing import FailingTest

SHORT = 8
"""Most lines of a fixture, a helper or a constant to show with the tests that use it."""


def failing_bodies(
    path: str, lines: Sequence[str], failing: Sequence[FailingTest], at: Collection[int]
) -> list[CodeBlock]:
    """The bodies of these tests, in the order of the failures. A test that is not found by name is found by the lines
    that failed."""
    found: list[CodeBlock] = []
    for test in failing:
        found += _by_title(path, lines, test) if _titles_tests(path) else _by_name(path, lines, test)
    return list(dict.fromkeys(found or _at_lines(path, lines, at)))


def support_of(path: str, lines: Sequence[str], bodies: Sequence[CodeBlock]) -> list[CodeBlock]:
    """Short parts of the file that the bodies use: fixtures, helpers, constants, and setup code."""
    taken = [*bodies]
    used = {name for each in bodies for name in _names(path, lines, each)}
    found: list[CodeBlock] = []
    set_up = [each for each in _set_up(path, lines, bodies) if used & _names(path, lines, each) - {"self", "this"}]
    for block in (*set_up, *_defined(path, lines, used)):
        if block.last - block.first < SHORT and not any(_overlap(block, each) for each in taken):
            found.append(block)
            taken.append(block)
    return found


def _names(path: str, lines: Sequence[str], block: CodeBlock) -> set[str]:
    return names_in(path, "\n".join(lines[block.first - 1 : block.last]))


def _by_name(path: str, lines: Sequence[str], test: FailingTest) -> list[CodeBlock]:
    name = re.split(r"[\[/( ]", test.name.rpartition("::")[2].strip(), maxsplit=1)[0].rpartition(".")[2]
    named = [each for each in functions_in(path, lines) if each.name == name]
    owned = [each for each in named if each.owner and re.search(rf"\b{re.escape(each.owner)}\b", test.id)]
    return [CodeBlock(each.first, each.last) for each in (owned or named)[:1]]


@dataclass(frozen=True, slots=True)
class _Titled:
    """A call such as `test('title', () => {…})`."""

    word: str
    title: str
    block: CodeBlock


def _by_title(path: str, lines: Sequence[str], test: FailingTest) -> list[CodeBlock]:
    calls = [each for each in _titled(path, lines) if each.word in _TESTS and each.title]
    full = " ".join(test.name.split())
    fitting = [each for each in calls if full == each.title or full.endswith(f" {each.title}")]
    return [max(fitting, key=lambda each: len(each.title)).block] if fitting else []


def _titled(path: str, lines: Sequence[str]) -> Iterator[_Titled]:
    text = "\n".join(lines)
    code = blank_literals(path, text)
    for found in _CALL.finditer(code):
        opening = found.end() - 1
        end = closing_bracket(code, opening)
        if again := _CALLED_AGAIN.match(code, end):  # `each([…])` returns a function that takes the title
            opening = again.end() - 1
            end = closing_bracket(code, opening)
        title = _TITLE.match(text, opening)
        last = code.count("\n", 0, end) + 1
        first = code.count("\n", 0, found.start(1)) + 1
        yield _Titled(found[1], " ".join(title[2].split()) if title else "", CodeBlock(first, last))


def _at_lines(path: str, lines: Sequence[str], at: Collection[int]) -> list[CodeBlock]:
    if _titles_tests(path):
        blocks = [each.block for each in _titled(path, lines) if each.word in _TESTS]
        around = [[each for each in blocks if each.first <= line <= each.last] for line in at]
        return [max(each, key=lambda block: block.first) for each in around if each]
    functions = functions_in(path, lines)
    inner = [innermost(functions, line) for line in at]
    return [CodeBlock(each.first, each.last) for each in inner if each]


def _set_up(path: str, lines: Sequence[str], bodies: Sequence[CodeBlock]) -> Iterator[CodeBlock]:
    if _titles_tests(path):
        yield from (each.block for each in _titled(path, lines) if each.word in _BEFORE)
        return
    functions = functions_in(path, lines)
    owners = {each.owner for each in functions for body in bodies if each.first == body.first}
    yield from (_block(each) for each in functions if each.name in _BEFORE and each.owner in owners)


def _defined(path: str, lines: Sequence[str], used: Collection[str]) -> Iterator[CodeBlock]:
    """Functions and constants of the file that are used directly, not what these use in turn."""
    functions = functions_in(path, lines)
    yield from (_block(each) for each in functions if each.name in used and not each.owner)
    for statement in top_level(path, lines, functions):
        if statement.sets_a_value and not statement.names.isdisjoint(used):
            yield statement.block


def _titles_tests(path: str) -> bool:
    language = language_of(path)
    return language is not None and language.titled_tests


def _block(function: CodeFunction) -> CodeBlock:
    return CodeBlock(function.first, function.last)


def _overlap(one: CodeBlock, other: CodeBlock) -> bool:
    return one.first <= other.last and other.first <= one.last


_TESTS = frozenset({"test", "it", "specify"})
_BEFORE = frozenset({"beforeEach", "before", "beforeAll", "setUp", "setup_method", "setUpClass"})
_CALL = re.compile(r"(?<![\w.$])(test|it|specify|beforeEach|before|beforeAll)(?:\.(?:only|each|concurrent|skip))*\s*\(")
_CALLED_AGAIN = re.compile(r"\)\s*\(")
_TITLE = re.compile(r"\(\s*(['\"`])((?:\\.|(?!\1)[^\\])*)\1", re.DOTALL)
