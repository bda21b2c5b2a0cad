"""A test that the model proposes for code it wrote, if the project has none. The user decides whether it counts: it is
a change like any other, and nothing is run with it before it is applied.
"""

import keyword
import warnings
from collections.abc import Collection, Sequence

from mulligan.core.writing.prompts import WRITING_SYSTEM
from mulligan.core.writing.replies import code_in
from mulligan.core.writing.task import WritingTask
from mulligan.syntax.definitions import cut_code
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.model_io import SystemText, UserText, WireMessage

FOLDERS = ("tests", "test")


def path_of_test(path: str, paths: Collection[str]) -> str | None:
    """A new file for the tests of a Python file: where others are, or next to it. None if that file exists, for a
    file that no test can import by its name, and for other languages."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".py") or is_test_file(path) or not _can_be_imported(path):
        return None
    used = next((each for each in FOLDERS if any(one.startswith(f"{each}/") for one in paths)), folder)
    path_of_tests = f"{used}/test_{name}" if used else f"test_{name}"
    return None if path_of_tests in paths else path_of_tests


def ask_for_test(task: WritingTask, goal: str, code: Sequence[str]) -> tuple[WireMessage, ...]:
    """The prompt has the goal and the written code: the expected behaviour follows from the goal."""
    shown = "\n".join(code)
    asked = (
        f"File {task.path}:\n```\n{shown}\n```\n\nTask: {goal.strip()}\n\n"
        f"Write a unittest.TestCase with three short tests of {_named(task)} that follow from the task. Begin with "
        f"`{_import(task)}`. Reply with the test file alone, in one code block."
    )
    return SystemText(WRITING_SYSTEM), UserText(asked)


def read_proposed(path_of_tests: str, reply: str, task: WritingTask) -> str | None:
    """The text of the test file; None if the reply has no test of what was written, or is no valid Python with its
    imports."""
    code = code_in(path_of_tests, reply, ())
    cut = cut_code(path_of_tests, code.strip("\n").split("\n")) if code else None
    if code is None or cut is None or "def test" not in code or not any(name in code for name in _names(task)):
        return None
    imported = "\n".join(cut.of(span) for span in cut.imports)
    module = _module(task.path)
    needed = "\n".join(line for line in ("import unittest", _import(task)) if not _has(imported, line, module))
    end = cut.head[1]
    before, after = ("\n\n", "") if end else ("", "\n" if cut.imports else "\n\n")
    text = cut.edited([(end, end, f"{before}{needed}{after}")] if needed else [])
    return f"{text}\n" if _is_valid(text) else None


def _has(imported: str, line: str, module: str) -> bool:
    return line in imported or (f" {module} " in line and f"from {module} import" in imported)


def _is_valid(text: str) -> bool:
    """Compiled, not only parsed: that also finds a `__future__` import which is not at the beginning."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _import(task: WritingTask) -> str:
    return f"from {_module(task.path)} import {', '.join(_names(task))}"


def _names(task: WritingTask) -> list[str]:
    """What can be imported: for a method its class."""
    return list(dict.fromkeys(name.partition(".")[0] for name in task.names))


def _named(task: WritingTask) -> str:
    return ", ".join(f"`{name}`" for name in task.names)


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _can_be_imported(path: str) -> bool:
    parts = path.removesuffix(".py").split("/")
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
