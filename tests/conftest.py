"""For all tests: each run tries the same, and what tests start is started as lean as it would be elsewhere."""

import gc
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.examples import examples

# A run that others wait for fails for what was changed, and for nothing else. `make explore` looks for what is new.
settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=examples(100))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def _without_shims(path: str) -> str:
    """Where `python3` is the script of a version manager, which looks for the real one at every start, this is found
    first: a start takes 45 ms of the processor instead of 130, and tests do thousands."""
    found = shutil.which("python3", path=path)
    if found is None:
        return path
    with Path(found).open("rb") as program:
        if program.read(2) != b"#!":
            return path
    return f"{Path(sys.base_prefix, 'bin')}{os.pathsep}{path}"


os.environ["PATH"] = _without_shims(os.environ.get("PATH", os.defpath))

# Whoever starts the tests in the background has them ignore Ctrl-C, and every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    """Of all that is collected nothing is garbage: looking for some takes a quarter of the time, again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those that may take long first: begun last, all would wait for them."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)


def pytest_configure(config: pytest.Config) -> None:
    """A pytest that a test starts loads none of the plugins that are installed for ours: they take five times as long.

    Not in the process that starts the workers: these need them.
    """
    starts_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if not starts_workers:
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
