"""For all tests: what they start is started as lean as it would be elsewhere."""

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """A pytest that a test starts loads none of the plugins that are installed for ours: they take five times as long.

    Not in the process that starts the workers: these need them.
    """
    starts_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if not starts_workers:
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
