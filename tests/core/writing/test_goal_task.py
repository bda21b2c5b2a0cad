"""Which goals ask for a function to be written whole."""

import pytest

from mulligan.core.writing.goal_task import task_for_goal
from mulligan.core.writing.prompts import ask_to_write
from mulligan.types.model_io import UserText

STUB = ("def is_leap(year):", '    """Tell leap years."""', "    raise NotImplementedError")
FULL = ("def total(items):", "    return sum(items)")
FILES = {"shop.py": FULL, "leap.py": STUB, "test_leap.py": ("def test_leap():", "    pass")}


@pytest.mark.parametrize(
    ("goal", "path", "names"),
    [
        pytest.param("is_leap must tell leap years", "leap.py", ("is_leap",), id="a stub by its name"),
        pytest.param("implement what is missing", "leap.py", ("is_leap",), id="stubs that no name tells"),
        pytest.param("add a function `mean` to shop.py", "shop.py", ("mean",), id="a function that is new"),
        pytest.param("write a function mean(items) in shop.py", "shop.py", ("mean",), id="a new one with parameters"),
    ],
)
def test_code_that_is_not_there_is_written_whole(goal: str, path: str, names: tuple[str, ...]) -> None:
    task = task_for_goal(goal, FILES, {})
    assert task is not None
    assert (task.path, task.names) == (path, names)


@pytest.mark.parametrize("goal", ["total must skip None", "rename total to amount", "why is total wrong?"])
def test_code_that_is_there_is_changed_line_by_line(goal: str) -> None:
    assert task_for_goal(goal, {"shop.py": FULL}, {}) is None


def test_the_prompt_holds_the_goal_the_file_and_what_is_written_down_about_it() -> None:
    documents = {
        "README.md": ("# Shop", "", "## Years", "", "`is_leap` follows the Gregorian calendar.", "", "## More")
    }
    task = task_for_goal("implement is_leap", FILES, documents)
    assert task is not None
    told = ask_to_write(task).messages[1]
    assert isinstance(told, UserText)
    for piece in ("Tell leap years.", "Gregorian calendar", "Task: implement is_leap", "whole file leap.py"):
        assert piece in told.text
    assert "## More" not in told.text
