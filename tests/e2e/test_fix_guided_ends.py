"""What a guided fix run keeps when its model fails or it is interrupted, and what it does not take for missing code."""

import json
import signal
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import Repository, project_with, say
from tests.scripted_server import running

GUIDED = ("--agency", "guided", "--yes")
VERIFY = "python3 -m unittest"
TWO_BUGS = {
    "shop.py": "def total(items):\n    return sum(items) + 1\n\n\ndef label(number):\n    return str(number)\n",
    "test_shop.py": (
        "import unittest\n\nfrom shop import label, total\n\n\nclass ShopTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n\n"
        "    def test_none(self):\n        self.assertEqual(total([]), 0)\n\n"
        "    def test_label(self):\n        self.assertEqual(label(12), '<<12|twelve>>')\n"
    ),
}
ONE_FIXED = TWO_BUGS["shop.py"].replace(" + 1", "")
NO_IDEA = say("I have no idea.")
HANGS: dict[str, Any] = {"hang": 0, "text": "…"}
"""A reply that never comes."""


def fix(repository: Repository, *replies: dict[str, Any]) -> tuple[Finished, int]:
    """What came of the run, and how often the model was asked."""
    script = Script.model_validate({"replies": replies, "then": "repeat_last"})
    with running(script) as server:
        done = repository.fix_at(server, *GUIDED, goal="make the tests pass", verify=VERIFY)
        return done, len(server.requests())


def applied(repository: Repository) -> str:
    """The code with all pending changes."""
    repository.mulligan("changes", "apply")
    return (repository.folder / "shop.py").read_text()


def test_what_was_gained_before_the_model_failed_stays_pending(mulligan: Command) -> None:
    repository = project_with(mulligan, TWO_BUGS)
    done, _ = fix(repository, {"status": 400, "body": "no such model"})
    assert (done.end["verdict"], done.end["reason"], done.code) == ("failed", "model_error", 5)
    assert (done.end["pending"], done.end["applied"]) == (1, 0)
    assert applied(repository) == ONE_FIXED


def test_an_interrupted_run_is_resumed_with_what_it_gained(mulligan: Command) -> None:
    repository = project_with(mulligan, TWO_BUGS)
    with running(Script.model_validate({"replies": [HANGS]})) as server:
        arguments = ["fix", "--json", *repository.model(server.base_url), "--verify", VERIFY, *GUIDED, "fix it"]
        process = repository.mulligan.start(*arguments)
        assert process.stdout
        run_id = ""
        for line in process.stdout:
            frame = json.loads(line)
            run_id = frame.get("run_id", run_id)
            if frame["type"] == "run_note" and frame["text"].startswith("Kept:"):
                break
        process.send_signal(signal.SIGINT)
        process.communicate()
    with running(Script.model_validate({"replies": [NO_IDEA], "then": "repeat_last"})) as server:
        model = repository.model(server.base_url)
        done = repository.mulligan("fix", "--json", *model, *GUIDED, "--resume", run_id)
    purposes = [frame["purpose"] for frame in done.frames if frame["type"] == "run_check"]
    assert purposes[0] == "verify"
    assert next(frame["kept"] for frame in done.frames if frame["type"] == "run_attempt_end")
    assert (done.end["verdict"], done.end["pending"]) == ("failed", 1)
    assert applied(repository) == ONE_FIXED


SQUARE = "class Square(Shape):\n    def __init__(self, side):\n        self.side = side\n\n    def area(self):\n"
SHAPES_TEST = (
    "import unittest\n\nfrom shapes import Square\n\n\nclass ShapesTest(unittest.TestCase):\n"
    "    def test_area(self):\n        self.assertEqual(Square(3).area(), 9)\n"
)


@pytest.mark.parametrize("body", ["raise NotImplementedError", "..."])
def test_an_abstract_method_is_not_taken_for_missing_code(mulligan: Command, body: str) -> None:
    base = f"class Shape:\n    def area(self):\n        {body}\n\n\n"
    code = f"{base}{SQUARE}        return self.side + self.side\n"
    repository = project_with(mulligan, {"shapes.py": code, "test_shapes.py": SHAPES_TEST})
    done, asked = fix(repository, NO_IDEA)
    assert (done.end["verdict"], asked) == ("verified", 0)
    assert (repository.folder / "shapes.py").read_text() == f"{base}{SQUARE}        return self.side * self.side\n"


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        pytest.param("import yaml_of_nobody\n\n\n", "from tables import size\n\n\n", id="that the source imports"),
        pytest.param("", "import yaml_of_nobody\nfrom tables import size\n\n\n", id="that the test imports"),
    ],
)
def test_a_package_that_is_not_installed_is_not_forged(mulligan: Command, source: str, tests: str) -> None:
    files = {
        "requirements.txt": "yaml-of-nobody>=1\n",
        "tables.py": f"{source}def size(text):\n    return len(text)\n",
        "test_tables.py": (
            f"import unittest\n\n{tests}class TablesTest(unittest.TestCase):\n"
            "    def test_size(self):\n        self.assertEqual(size('ab'), 2)\n"
        ),
    }
    repository = project_with(mulligan, files)
    done, _ = fix(repository, say("```python\ndef load(text):\n    return {}\n```"))
    assert done.end["verdict"] != "verified"
    assert done.end["files"] == []
