"""Interrupts tests of pytest and unittest that don't end, so that they fail at the current line. Python imports it as
`sitecustomize`.

It runs in the project's own Python, 3.7 or newer, and imports nothing of ours.
"""

# pyright: basic

import json
import os
import signal
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
TICK_SECONDS = 0.5
"""Seconds of CPU time, not of waiting."""
FIRST, ALONE, LATER = 4, 2, 1
"""Ticks that a test may take: at first; if the first endless test stops the run; and after an endless test, because
others are likely endless too."""


class Watch:
    def __init__(self, wanted):
        self.root = os.path.realpath(wanted["root"]) + os.sep
        self.stops = wanted["stops"]
        self.max_ticks = ALONE if self.stops else FIRST
        self.test = None
        self.ticks = 0

    def tick(self, _number, frame):
        test = self.test_of(frame)
        self.ticks = self.ticks + 1 if test is not None and test is self.test else 0
        self.test = test
        if self.ticks < self.max_ticks:
            return
        message = "no end after %g s of work" % (self.max_ticks * TICK_SECONDS)
        self.test, self.ticks, self.max_ticks = None, 0, LATER
        if self.stops:
            sys.stderr.write("TimeoutError: %s\n" % message)
            sys.stderr.flush()
            os._exit(1)
        raise TimeoutError(message)

    def test_of(self, frame):
        """The outermost function of the project that is a test."""
        found = None
        while frame is not None:
            code = frame.f_code
            if code.co_name.startswith("test") and os.path.realpath(code.co_filename).startswith(self.root):
                found = frame
            frame = frame.f_back
        return found


def next_sitecustomize():
    """Run the `sitecustomize` that this file shadows."""
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if folder and os.path.abspath(folder) != FOLDER and os.path.isfile(path):
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


with open(os.path.join(FOLDER, "wanted.json"), encoding="utf-8") as file:
    WATCH = Watch(json.load(file))
signal.signal(signal.SIGVTALRM, WATCH.tick)
signal.setitimer(signal.ITIMER_VIRTUAL, TICK_SECONDS, TICK_SECONDS)
next_sitecustomize()
