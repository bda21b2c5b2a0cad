"""A test that is proposed for code that was written: where it goes, and what of a reply is taken."""

import pytest

from mulligan.core.writing.proposed_test import ask_for_test, path_of_test, read_proposed
from mulligan.core.writing.task import WritingTask
from mulligan.types.model_io import UserText

TASK = WritingTask("missing", "src/shop/stats.py", ("mean",), "system", "context")
BODY = "class MeanTest(unittest.TestCase):\n    def test_mean(self):\n        self.assertEqual(mean([1, 3]), 2)"


@pytest.mark.parametrize(
    ("path", "paths", "place"),
    [
        pytest.param("stats.py", ["stats.py"], "test_stats.py", id="beside the file"),
        pytest.param("a/stats.py", ["a/stats.py"], "a/test_stats.py", id="beside a file in a folder"),
        pytest.param("a/stats.py", ["tests/test_x.py"], "tests/test_stats.py", id="where tests are"),
        pytest.param("stats.py", ["test_stats.py"], None, id="there is one already"),
        pytest.param("stats.go", ["stats.go"], None, id="another language"),
        pytest.param("test_stats.py", [], None, id="a test itself"),
        pytest.param("tools/my-stats.py", ["tools/my-stats.py"], None, id="a name with a hyphen"),
        pytest.param("my tools/stats.py", ["my tools/stats.py"], None, id="a folder with a space"),
        pytest.param("a.b/stats.py", ["a.b/stats.py"], None, id="a folder with a dot"),
        pytest.param("shop/import.py", ["shop/import.py"], None, id="a keyword"),
    ],
)
def test_a_proposed_test_has_a_place_of_its_own(path: str, paths: list[str], place: str | None) -> None:
    assert path_of_test(path, paths) == place


def test_the_model_is_told_goal_code_and_import() -> None:
    asked = ask_for_test(TASK, "add a function mean", ["def mean(items):", "    return 0"])[-1]
    assert isinstance(asked, UserText)
    for piece in ("add a function mean", "def mean(items):", "from shop.stats import mean"):
        assert piece in asked.text


def test_imports_that_a_reply_forgot_are_added() -> None:
    made = read_proposed("test_stats.py", f"Sure:\n```python\n{BODY}\n```", TASK)
    assert made == f"import unittest\nfrom shop.stats import mean\n\n{BODY}\n"


@pytest.mark.parametrize(
    "head",
    [
        pytest.param('"""Tests of mean, with import unittest."""', id="a docstring"),
        pytest.param("from __future__ import annotations", id="a future import"),
        pytest.param('r"""Tests."""\n\nfrom __future__ import annotations', id="both"),
        pytest.param("#!/usr/bin/env python3\n# Tests.\n'Tests.'", id="a shebang, a comment and a docstring"),
    ],
)
def test_added_imports_stand_after_what_has_to_be_first(head: str) -> None:
    made = read_proposed("test_stats.py", f"```python\n{head}\n\n{BODY}\n```", TASK)
    assert made == f"{head}\n\nimport unittest\nfrom shop.stats import mean\n\n{BODY}\n"


def test_a_text_that_python_refuses_is_not_proposed() -> None:
    late = f"import unittest\nfrom __future__ import annotations\n\n{BODY}"
    assert read_proposed("test_stats.py", f"```python\n{late}\n```", TASK) is None


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("I can't.", id="no code"),
        pytest.param("```python\ndef mean(items):\n    return 0\n```", id="no test"),
        pytest.param(
            f"```python\n{BODY.replace('mean(', 'total(').replace('test_mean', 'test_it')}\n```", id="of something else"
        ),
        pytest.param(f"```python\n{BODY}(\n```", id="it does not parse"),
    ],
)
def test_a_reply_without_a_test_of_it_is_not_used(reply: str) -> None:
    assert read_proposed("test_stats.py", reply, TASK) is None
