"""Runs the tests of one command for many versions of its files, each in a fork of a process that has already loaded
the test runner. pytest imports it as a plugin, before anything from the project; it is itself run instead of unittest.

It runs in the project's own Python, 3.7 or newer, and imports nothing of ours.
"""

# pyright: basic

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import sys
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
NAME = os.path.splitext(os.path.basename(__file__))[0]
RESULTS = os.path.join(FOLDER, "results.jsonl")
MODULES = os.path.join(FOLDER, "modules.json")
TICK_SECONDS = 0.002
"""Seconds between two checks of a process that has closed its output, or has none."""


class Forks:
    def __init__(self, wanted):
        self.root = os.path.realpath(wanted["root"]) + os.sep
        self.texts = [(os.path.join(wanted["root"], path), data) for path, data in wanted["texts"]]
        self.seconds = wanted["seconds"]
        self.together = wanted["together"]
        self.most = wanted["most"]
        self.preloads = wanted["preloads"]

    def run(self):
        """Returns only in a fork, where the runner then continues. The forking process exits when all are tested."""
        began = time.monotonic()
        for number, (path, data) in enumerate(self.texts):
            if time.monotonic() - began > self.together or is_loaded(path) or threading.active_count() > 1:
                break
            with open(path, "rb") as file:
                before = file.read()
            write(path, data.encode("latin-1"))
            result = self.forked(number == 0 and self.preloads)
            if result is None:
                return
            write(path, before)
            tell(result)
            if result["exit_code"] == 0:
                break
            if number == 0 and self.preloads:
                preload()
        os._exit(0)

    def forked(self, tells):
        began = time.monotonic()
        pipes = os.pipe(), os.pipe()
        interval = signal.getitimer(signal.ITIMER_VIRTUAL)[1]
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            for number, (reads, writes) in enumerate(pipes, 1):
                os.dup2(writes, number)
                os.close(reads)
                os.close(writes)
            # Timers are not inherited, but their handlers are.
            signal.setitimer(signal.ITIMER_VIRTUAL, interval, interval)
            if tells:
                atexit.register(self.tell_modules, frozenset(sys.modules))
            return None
        for _, writes in pipes:
            os.close(writes)
        texts = {reads: b"" for reads, _ in pipes}
        status = self.wait(pid, texts, began + self.seconds)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # what the tests left running
        if status is None:
            os.waitpid(pid, 0)
        for reads in texts:
            os.close(reads)
        stdout, stderr = (texts[reads].decode("utf-8", "replace") for reads, _ in pipes)
        seconds = time.monotonic() - began
        return {"exit_code": status, "seconds": seconds, "stdout": stdout, "stderr": stderr}

    def wait(self, pid, texts, deadline):
        """The exit code; None if the process did not end in time. Output beyond a limit is dropped."""
        unread, status = set(texts), None
        while status is None or unread:
            readable = select.select(
                list(unread), [], [], TICK_SECONDS if status is not None or not unread else 5 * TICK_SECONDS
            )[0]
            for reads in readable:
                data = os.read(reads, 65536)
                texts[reads] = (texts[reads] + data)[: self.most]
                if not data:
                    unread.discard(reads)
            if status is not None and not readable:
                break  # a process that it left behind holds its output open
            if status is None:
                ended, code = os.waitpid(pid, os.WNOHANG)
                if ended:
                    status = os.WEXITSTATUS(code) if os.WIFEXITED(code) else -os.WTERMSIG(code)
                elif time.monotonic() > deadline:
                    break
        return status

    def tell_modules(self, before):
        names = [name for name in list(sys.modules) if name not in before and not self.is_project(name)]
        with open(MODULES, "w") as file:
            json.dump(names, file)

    def is_project(self, name):
        real = os.path.realpath(getattr(sys.modules[name], "__file__", None) or self.root)
        return real.startswith(self.root) and os.sep + "site-packages" + os.sep not in real


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def is_loaded(path):
    """Whether this module is already loaded: then the tests would not use its new text."""
    real = os.path.realpath(path)
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return any(os.path.realpath(file) == real for file in files if isinstance(file, str))


def preload():
    """Load what the tests need from outside of the project, because each fork would load it again."""
    try:
        with open(MODULES) as file:
            names = json.load(file)
    except (OSError, ValueError):
        return
    for name in names:
        with contextlib.suppress(Exception, SystemExit):
            importlib.import_module(name)
    if threading.active_count() > 1:
        tell({"threads": True})  # a fork would inherit their locks, but not the threads
    gc.collect()
    gc.freeze()


def tell(record):
    with open(RESULTS, "a") as file:
        file.write(json.dumps(record) + "\n")


# Worker processes of the tests, and a second command, must not fork again.
os.environ["PYTEST_PLUGINS"] = ",".join(
    name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name and name != NAME
)
if not os.path.exists(RESULTS):
    with open(os.path.join(FOLDER, "wanted.json"), encoding="utf-8") as file:
        WANTED = Forks(json.load(file))
    if __name__ == "__main__":
        importlib.import_module("unittest")
    WANTED.run()
if __name__ == "__main__":
    runpy.run_module("unittest", run_name="__main__", alter_sys=True)
