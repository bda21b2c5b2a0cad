"""What tests expect of code to be written: a line per test if that is enough, else the test itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.definitions import CodeText, cut_code
from mulligan.syntax.functions import functions_in
from mulligan.syntax.python_test_examples import example_of

MAX_CHARS = 3000
"""Without documentation, only the tests say what a function has to return."""


@dataclass(frozen=True, slots=True)
class TestFile:
    """A file of failing tests, and where they are in it."""

    __test__ = False

    path: str
    lines: tuple[str, ...]
    bodies: tuple[CodeBlock, ...]
    """None if the file could not be run at all."""

    def text(self, block: CodeBlock) -> str:
        return "\n".join(self.lines[block.first - 1 : block.last])


def tests_prompt(tests: Sequence[TestFile]) -> str:
    """As many as fit, spread over all of them: special cases come late in most files."""
    return "\n\n".join(filter(None, (_file_prompt(each, MAX_CHARS // len(tests)) for each in tests)))


def _file_prompt(tests: TestFile, budget: int) -> str:
    # Several tests may be on one line.
    bodies = tuple(dict.fromkeys(tests.bodies or _all_tests(tests))) or (CodeBlock(1, len(tests.lines)),)
    texts = {body: example_of(tests.path, tests.lines, body) or tests.text(body).rstrip() for body in bodies}
    chosen: list[CodeBlock] = []
    for body in _spread_out(bodies):
        if len(texts[body]) < budget or not chosen:
            chosen.append(body)
            budget -= len(texts[body]) + 1
    lines = list(dict.fromkeys(texts[body] for body in sorted(chosen, key=lambda each: each.first)))
    if not any("\n" in each for each in lines):
        # Without imports: a model copies them into the file that they import.
        examples = "\n".join(lines)
        return f"What has to hold, by the tests in {tests.path}:\n```\n{examples}\n```"
    shown = "\n…\n".join([*_imports(tests), *lines])
    return f"Tests in {tests.path}:\n```\n{shown[:MAX_CHARS]}\n```"


def _imports(tests: TestFile) -> list[str]:
    """They show how the names are used."""
    cut = cut_code(tests.path, tests.lines)
    return ["\n".join(tests.text(_rows(cut, span)) for span in cut.imports)] if cut and cut.imports else []


def _all_tests(tests: TestFile) -> tuple[CodeBlock, ...]:
    functions = functions_in(tests.path, tests.lines)
    return tuple(CodeBlock(each.first, each.last) for each in functions if each.name.lower().startswith("test"))


def _spread_out(bodies: Sequence[CodeBlock]) -> list[CodeBlock]:
    """The first, the last, the middle one, and so on: any number of them from the front is spread over all."""
    order: dict[CodeBlock, None] = {}
    parts = 1
    while len(order) < len(bodies):
        for step in range(parts + 1):
            order[bodies[min(len(bodies) - 1, step * (len(bodies) - 1) // parts)]] = None
        parts *= 2
        if parts > 2 * len(bodies):
            order.update(dict.fromkeys(bodies))
    return list(order)


def _rows(cut: CodeText, span: tuple[int, int]) -> CodeBlock:
    first, last = (cut.text.count(b"\n", 0, at) + 1 for at in span)
    return CodeBlock(first, last)
