"""Layout is no matter: what cures a bug is found, and as soon, however the code is laid out.

Every task of the bench is laid out in two other ways. Its cure has to be among the changes that are proposed, and its
rank has to hold. It may move a little: suspicious places are lines, so that what stands on one line, or on several, is
ranked together or apart. Twice as far back and ten places more is what that came to at most; a rule that looks at text
loses the cure altogether.
"""

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from bench.fixes.proposals import proposed
from bench.fixes.ranks import make_brief, unique, write, written_rank
from bench.fixes.recorded import recorded
from bench.fixes.tasks import Task, load_tasks
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import Check
from tests.bench.reformatted import Reformatted, compact, spread

TASKS = [task for task in load_tasks() if task.half != "larger"]
LAYOUTS: Mapping[str, Callable[[str, str], Reformatted]] = {"compact": compact, "spread": spread}
TIMES, MORE = 2, 10
EVERY = 12
"""Of the tasks every so-manyth is tried in `make test`, and all of them in `make explore`: three minutes."""


def cases() -> list[object]:
    return [
        pytest.param(task, layout, id=f"{task.name}-{layout}", marks=[pytest.mark.breadth] if number % EVERY else [])
        for number, task in enumerate(TASKS)
        for layout in LAYOUTS
    ]


@pytest.mark.parametrize(("task", "layout"), cases())
def test_the_rank_of_a_cure_holds_in_another_layout(task: Task, layout: str) -> None:
    laid_out = {path: LAYOUTS[layout](path, text) for path, text in task.files.items() if is_source(path)}
    changed = any(each.text != task.files[path] for path, each in laid_out.items())
    assert changed or layout == "spread", "nothing was laid out anew"  # some tasks have nothing to spread
    before = usual_rank(task.name)
    after = rank_in(task, laid_out)
    if before is None:
        pytest.skip("what cures it is not proposed in this form in any layout")
    assert after is not None
    assert after <= before * TIMES + MORE


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("a.py", "def f(n):\n    return [[0] * n] * n\n", id="rows that are one list"),
        pytest.param("a.js", "function f(a, b) {\n  return { ...a, ...b };\n}\n", id="one literal over another"),
        pytest.param("a.go", "package a\n\nfunc f(a, b int) float64 {\n\treturn float64(a / b)\n}\n", id="too early"),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pitfall_is_known_in_every_layout(path: str, text: str, layout: str) -> None:
    from tests.core.program_repair.made_variants import files_made, plain

    line = next(number for number, row in enumerate(text.split("\n"), 1) if "return" in row)
    usual = {plain(each) for each in files_made(path, text, line)}
    laid_out = LAYOUTS[layout](path, text)
    there = {plain(each).replace(",}", "}").replace(",)", ")") for each in files_made(path, laid_out.text, line)}
    assert usual - there == set()


def is_source(path: str) -> bool:
    return path.endswith((".py", ".js", ".ts", ".go")) and not is_test_file(path)


@cache
def usual_rank(name: str) -> int | None:
    task = next(each for each in TASKS if each.name == name)
    return rank_in(task, {})


def rank_in(task: Task, laid_out: Mapping[str, Reformatted]) -> int | None:
    failures = recorded(task)
    assert failures is not None, "the task was changed: python -m bench ranks --record"
    texts = {**task.files, **{path: each.text for path, each in laid_out.items()}}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        write(texts, folder)
        brief = make_brief([moved(check, laid_out) for check in failures.checks], folder)
    files = {path: tuple(texts[path].split("\n")) for path in {each.path for each in brief.sources}}
    return written_rank(task, unique(proposed(brief, files), files))


def moved(check: Check, laid_out: Mapping[str, Reformatted]) -> Check:
    """What failed, with the lines of sources as they are in the new layout."""

    def of_text(text: str) -> str:
        for path, each in laid_out.items():
            rows = each.rows
            name = re.escape(path.rpartition("/")[2])
            text = re.sub(
                rf"({name}(?::|\", line ))(\d+)",
                lambda found, rows=rows: f"{found[1]}{rows.get(int(found[2]), int(found[2]))}",
                text,
            )
        return text

    failing = [
        test.model_copy(update={"message": of_text(test.message), "detail": of_text(test.detail)})
        for test in check.report.failing
    ]
    return check.model_copy(update={"report": check.report.model_copy(update={"failing": tuple(failing)})})
