"""Code in replies of every form that small models give it."""

import pytest

from mulligan.core.writing.replies import code_in

CODE = "def leap_year(year):\n    return year % 4 == 0"
USE = "print(leap_year(2000))"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(f"```python\n{CODE}\n```", id="one fence"),
        pytest.param(f"Sure! Here it is:\n\n```python\n{CODE}\n```\n\nThis works since …", id="prose around"),
        pytest.param(f"{CODE}", id="no fence"),
        pytest.param(f"Here is the function:\n\n{CODE}\n\nIt checks the year.", id="prose and no fence"),
        pytest.param(f"```\n{CODE}", id="a fence that is never closed"),
        pytest.param(f"```python\n{CODE}\n```\nUse it so:\n```python\n{USE}\n```", id="a second fence shows its use"),
        pytest.param(f"```sh\npip install x\n```\n~~~python\n{CODE}\n~~~", id="another fence before it"),
        pytest.param(f"```python\ndef leap_year(year): pass\n```\nBetter:\n```python\n{CODE}\n```", id="corrected"),
        pytest.param(f"1. First:\n   ```python\n   {CODE.replace(chr(10), chr(10) + '   ')}\n   ```", id="in a list"),
    ],
)
def test_the_code_is_read_whatever_stands_around_it(reply: str) -> None:
    found = code_in("leap.py", reply, ["leap_year"])
    assert found is not None
    assert found.strip() == CODE


def test_functions_in_fences_of_their_own_are_taken_together() -> None:
    reply = "```python\ndef one():\n    return 1\n```\nand\n```python\ndef two():\n    return 2\n```"
    found = code_in("a.py", reply, ["one", "two"])
    assert found is not None
    assert "def one()" in found
    assert "def two()" in found


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("I can't do that.", id="no code"),
        pytest.param("```python\ndef leap_year(year:\n    return\n```", id="code that does not parse"),
        pytest.param(f"```python\n{USE}\n```", id="code that defines nothing of it"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_code_for_the_task_is_not_taken(reply: str) -> None:
    assert code_in("leap.py", reply, ["leap_year"]) is None
