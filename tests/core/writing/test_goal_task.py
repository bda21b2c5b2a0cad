"""Which goals ask for a function to be written whole."""

import pytest

from mulligan.core.writing.goal_task import task_for_goal
from mulligan.core.writing.prompts import ask_to_write
from mulligan.types.model_io import UserText

STUB = ("def is_leap(year):", '    """Tell leap years."""', "    raise NotImplementedError")
FULL = ("def total(items):", "    return sum(items)")
CLASS = ("class Clock:", "    def tick(self):", "        raise NotImplementedError")
FILES = {"shop.py": FULL, "leap.py": STUB, "clock.py": CLASS, "test_leap.py": ("def test_leap():", "    pass")}
MIXED = ("def close():", "    pass", "", "", "def run(x):", "    return x", "", "", "class A:", "    size = 1")


@pytest.mark.parametrize(
    ("goal", "path", "names"),
    [
        pytest.param("is_leap must tell leap years", "leap.py", ("is_leap",), id="a stub by its name"),
        pytest.param("implement what is missing", "leap.py", ("is_leap",), id="stubs that no name tells"),
        pytest.param("add a function `mean` to shop.py", "shop.py", ("mean",), id="a function that is new"),
        pytest.param("write a function mean(items) in shop.py", "shop.py", ("mean",), id="a new one with parameters"),
        pytest.param("Implement the Gregorian rule in is_leap.", "leap.py", ("is_leap",), id="what a stub has to do"),
        pytest.param("is_leap is not implemented", "leap.py", ("is_leap",), id="what a stub lacks"),
        pytest.param("write the missing function is_leap", "leap.py", ("is_leap",), id="a missing function"),
        pytest.param("implement leap.py so that test_leap.py passes", "leap.py", ("is_leap",), id="a file's stubs"),
        pytest.param("create a function called mean", "shop.py", ("mean",), id="a new one after called"),
        pytest.param("add a small `mean` function to shop.py", "shop.py", ("mean",), id="a new one before function"),
        pytest.param("in `shop.py` add a function `mean`", "shop.py", ("mean",), id="a new one after its file"),
        pytest.param("implement the class Clock", "clock.py", ("Clock.tick",), id="the stubs of a class"),
    ],
)
def test_code_that_is_not_there_is_written_whole(goal: str, path: str, names: tuple[str, ...]) -> None:
    task = task_for_goal(goal, FILES, {})
    assert task is not None
    assert (task.path, task.names) == (path, names)


@pytest.mark.parametrize("goal", ["total must skip None", "rename total to amount", "why is total wrong?"])
def test_code_that_is_there_is_changed_line_by_line(goal: str) -> None:
    assert task_for_goal(goal, {"shop.py": FULL}, {}) is None


@pytest.mark.parametrize(
    "goal",
    [
        "add a docstring to run",
        "add error handling to run()",
        "implement error handling in run",
        "add a parameter `start_at` to the function run",
        "add a test for the function run",
        "write a test for close",
        "add a docstring to close",
        "call close at the end of run",
        "add a call of close to run",
        "add a call to the function `close`",
        "implement logging in run, which calls close",
        "add a method mean to class A",
        "remove the unused function close",
        "rename close to shutdown",
        "close should be removed",
        "finish the docs of `size`",
    ],
)
def test_a_stub_is_not_written_for_a_goal_about_something_else(goal: str) -> None:
    assert task_for_goal(goal, {"shop.py": MIXED}, {}) is None


def test_a_new_function_is_written_beside_a_stub_that_the_goal_does_not_name() -> None:
    task = task_for_goal("create a function called mean", {"shop.py": MIXED}, {})
    assert task is not None
    assert task.names == ("mean",)


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
