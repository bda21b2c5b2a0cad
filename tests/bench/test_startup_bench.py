"""What the bench of a start reads out of Python's own words, and what it times itself."""

import subprocess
import sys
from pathlib import Path

from bench.harness import environment_for
from bench.startup import PHASES, by_package
from mulligan.models.scripted.script import Script, ScriptedReply
from tests.scripted_server import running

BARE = "import time: self [us] | cumulative | imported package\nimport time:       100 |        100 |   codecs\n"
FIRST = """\
import time: self [us] | cumulative | imported package
import time:       200 |        200 |   codecs
import time:      3000 |       3000 |     email.message
import time:      1000 |       4000 |   httpx2
import time:      2000 |       2000 |       mulligan.types.turns
import time:       500 |       2500 |     mulligan.types
"""
SECOND = FIRST.replace("3000 |       3000", "1500 |       1500").replace("      1000 |", "      9000 |")


def test_a_module_counts_once_with_its_shortest_time_and_for_its_package() -> None:
    found = by_package([FIRST, SECOND], without=BARE)
    assert found == {"mulligan.types": 2.5, "the standard library": 1.5, "httpx2": 1.0}
    assert list(found) == ["mulligan.types", "the standard library", "httpx2"]


def test_the_phases_of_a_question_are_told_up_to_its_request(tmp_path: Path) -> None:
    with running(Script(replies=(ScriptedReply(text="Here."), ScriptedReply(text="Here.")))) as server:
        ask = ["ask", "--json", "--base-url", server.base_url, "--model", "m", "-C", str(tmp_path), "Where?"]
        done = subprocess.run(
            [sys.executable, PHASES, *ask],
            check=True, capture_output=True, text=True, env=environment_for(tmp_path / "home"),
        )  # fmt: skip
        assert len(server.requests()) == 2
    told = dict(line.split("\t") for line in done.stderr.splitlines())
    assert list(told)[:3] == ["settings", "the store", "the model is chosen"]
    assert len(told) == 4
    assert all(float(milliseconds) >= 0 for milliseconds in told.values())
