import subprocess
import sys
from pathlib import Path

import mulligan

LEFT_BEHIND = """
import gc, sys, weakref
from mulligan.__main__ import main
from mulligan.cli import entry
from mulligan.runtime.memory_tuning import tune_gc_for_server

class Circle:
    def __init__(self):
        self.itself = self

def run():
    if sys.argv[2] == "as usual":
        tune_gc_for_server()
    circles = [weakref.ref(Circle()) for _ in range(20_000)]
    print(sum(circle() is not None for circle in circles))

entry.run = run
main()
"""


def test_a_process_that_goes_on_for_hours_finds_the_circles_that_its_work_leaves_behind() -> None:
    assert _left("as usual") < 1_000 < _left("rarely")


def _left(how: str) -> int:
    command = [sys.executable, "-c", LEFT_BEHIND, "serve", how]
    source = str(Path(mulligan.__file__).parent.parent)
    done = subprocess.run(command, env={"PYTHONPATH": source}, check=True, capture_output=True, text=True)
    return int(done.stdout)
