"""Watches the tests of pytest and unittest. Python imports it as `sitecustomize`, pytest loads it as a plugin.

It runs in the project's own Python, 3.7 or newer, and imports nothing of ours. PYTEST_DONT_REWRITE
"""

# pyright: basic

import json
import os
import sys
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
MAX_CALLS = 100
"""Most calls of one function to trace in a passing test: later calls seldom run other lines."""
QUIET = 3000
"""After so many lines of one file in a row that a passing test ran before, a loop is no longer traced."""
FORMATTERS = ("/_pytest/assertion/", "/_pytest/_io/", "/_pytest/_code/", "/unittest/util.py", "/unittest/result.py")
"""Code that formats a failure: functions that it calls to show a value have nothing to do with the failure."""
FAILED = ("failures", "errors", "unexpectedSuccesses")
UNJUDGED = ("skipped", "expectedFailures")
"""What a result of unittest lists, by whether it says that a test failed, or nothing about it."""


class Watch:
    """Which lines of the project's files run, test by test."""

    def __init__(self, wanted):
        self.root = os.path.realpath(wanted["root"]) + os.sep
        self.failing = set(wanted["failing"])
        # The tests of subtests, too.
        self.failing.update([each.partition(" (")[0].partition(" [")[0] for each in wanted["failing"]])
        self.files = set(wanted["files"])
        self.left = float(wanted["seconds"])
        self.most = int(wanted["most"])
        self.names = {}
        self.formatters = {}
        self.formatting = None
        self.test = None
        self.passed = True
        self.unjudged = False  # whether a test that did not fail says nothing: it was skipped, or expected to fail
        self.before = None
        self.out = None

    def name_of(self, file):
        """Relative to the project; None for files outside of it."""
        real = os.path.realpath(file)
        inside = real.startswith(self.root) and os.sep + "site-packages" + os.sep not in real
        name = real[len(self.root) :].replace(os.sep, "/") if inside else None
        self.names[file] = name
        self.formatters[file] = name is None and any(part in real.replace(os.sep, "/") for part in FORMATTERS)
        return name

    def begin(self, test):
        if self.test is not None or self.left <= 0 or self.most <= 0:
            return False
        self.test, self.passed, self.unjudged = test, True, False
        self.is_failing = any(test == each or test.endswith(each) or each.endswith(test) for each in self.failing)
        self.lines, self.tracers, self.calls, self.entries = {}, {}, {}, {}
        self.entry, self.from_line, self.formatting = 0, None, None
        self.began = time.perf_counter()
        self.before = sys.gettrace()
        sys.settrace(self.called)
        threading.settrace(self.called)
        return True

    def pause(self):
        if self.test is not None:
            sys.settrace(self.before)
            threading.settrace(None)

    def end(self):
        if self.test is None:
            return
        self.pause()
        self.left -= time.perf_counter() - self.began
        self.most -= 1
        ages = {}
        for (name, first), entry in self.entries.items():
            ages.setdefault(name, {})[first] = self.entry - entry
        lines = {name: sorted(seen) for name, seen in self.lines.items()}
        record = {"test": self.test, "passed": self.passed, "lines": lines, "ages": ages}
        self.test = None
        if lines and not (self.passed and self.unjudged):
            self.write(record)

    def write(self, record):
        if self.out is None or self.out[0] != os.getpid():
            self.out = (os.getpid(), open(os.path.join(FOLDER, "%d.jsonl" % os.getpid()), "a", encoding="utf-8"))
        self.out[1].write(json.dumps(record) + "\n")
        self.out[1].flush()

    def called(self, frame, event, arg):
        code = frame.f_code
        file = code.co_filename
        name = self.names[file] if file in self.names else self.name_of(file)
        if event != "call" or self.formatting is not None:
            return None
        if name is None:
            return self.formatted(frame) if self.formatters[file] else None
        first = code.co_firstlineno
        if name not in self.files:
            self.note_entry(frame.f_back, name, first)
        if not self.is_failing:
            count = self.calls[name, first] = self.calls.get((name, first), 0) + 1
            if count > MAX_CALLS:
                return None
        return self.tracers.get(name) or self.tracer(name)

    def formatted(self, frame):
        """Record nothing until this frame returns."""
        self.formatting = frame
        frame.f_trace_lines = False

        def trace(frame, event, arg):
            if event == "return":
                self.formatting = None
            return trace

        return trace

    def note_entry(self, caller, name, first):
        """Every line of the test's own file that makes a call starts a new entry."""
        if caller is not None and self.names.get(caller.f_code.co_filename) in self.files:
            if caller.f_lineno != self.from_line and not caller.f_code.co_name.startswith("tearDown"):
                self.entry += 1
                self.from_line = caller.f_lineno
        self.entries[name, first] = self.entry

    def tracer(self, name):
        seen = self.lines[name] = set()
        add = seen.add
        if self.is_failing:

            def trace(frame, event, arg):
                if event == "line":
                    add(frame.f_lineno)
                return trace
        else:
            quiet = [0]

            def trace(frame, event, arg):
                if event == "line":
                    line = frame.f_lineno
                    if line not in seen:
                        add(line)
                        quiet[0] = 0
                    else:
                        quiet[0] += 1
                        if quiet[0] > QUIET:
                            frame.f_trace_lines = False
                return trace

        self.tracers[name] = trace
        return trace


def watch_unittest(watch):
    """Under pytest this does nothing: its hooks have already begun the test, and tests are not nested."""
    from unittest.case import TestCase

    plain = TestCase.run

    def run(self, result=None):
        if result is None or not watch.begin(self.id()):
            return plain(self, result)
        failed, unjudged = count_in(result, *FAILED), count_in(result, *UNJUDGED)
        try:
            return plain(self, result)
        finally:
            watch.passed = count_in(result, *FAILED) == failed
            watch.unjudged = count_in(result, *UNJUDGED) > unjudged
            watch.end()

    TestCase.run = run


def count_in(result, *kinds):
    return sum(len(getattr(result, kind, ())) for kind in kinds)


def pytest_configure(config):
    """Let no failure stop the run, because failing tests come first."""
    config.option.maxfail = 0
    config.pluginmanager.set_blocked("stepwiseplugin")  # the option stays, since pytest would forget the user's step


def pytest_collection_modifyitems(session, items):
    """Run failing tests first, then the others in their files, because time may run out."""

    def rank(item):
        test = item.nodeid
        if any(test == each or test.endswith(each) for each in WATCH.failing):
            return 0
        return 1 if any(test.split("::")[0].endswith(each) for each in WATCH.files) else 2

    items.sort(key=rank)
    del items[WATCH.most :]


def pytest_runtest_logstart(nodeid):
    WATCH.begin(nodeid)


def pytest_runtest_logreport(report):
    if report.outcome == "failed":
        WATCH.passed = False
    elif report.outcome == "skipped" or hasattr(report, "wasxfail"):
        WATCH.unjudged = True
    is_subtest = hasattr(report, "context")
    if not is_subtest and (report.when != "setup" or report.outcome != "passed"):
        WATCH.pause()


def pytest_runtest_logfinish(nodeid):
    WATCH.end()


def pytest_runtest_protocol(item):
    """Stop the run when tests are no longer watched."""
    if WATCH.left <= 0:
        item.session.shouldstop = "enough was watched"


def begin():
    with open(os.path.join(FOLDER, "wanted.json"), encoding="utf-8") as file:
        return Watch(json.load(file))


def next_sitecustomize():
    """Run the `sitecustomize` that this file shadows."""
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if folder and os.path.abspath(folder) != FOLDER and os.path.isfile(path):
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


WATCH = begin()
try:
    watch_unittest(WATCH)
except Exception:
    pass  # a Python without unittest
next_sitecustomize()
