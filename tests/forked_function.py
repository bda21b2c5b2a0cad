"""A function in a process of its own, which may be killed: forked from one that has its module loaded."""

import multiprocessing
from collections.abc import Callable
from typing import Any

PRELOADED = (
    "tests.fixing.unittest_process",
    "tests.workspace.checkpoints.ended_process",
    "tests.workspace.restoring.restore_process",
    "tests.workspace.run_tree.returning_process",
)
"""A test process has one process that forks, and it loads modules only when it starts."""


def run_forked(function: Callable[..., None], *arguments: Any) -> int | None:
    """The exit code; negative for a signal."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    process = context.Process(target=function, args=arguments)
    process.start()
    process.join()
    return process.exitcode
