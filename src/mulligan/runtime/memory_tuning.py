"""Memory settings for processes that run for hours."""

import gc
import sys
from contextlib import suppress
from typing import Any

DEFAULT_GC_THRESHOLDS = (700, 10, 10)
"""Python's default thresholds for garbage collection. While a command starts, others apply, see `__main__`."""
_M_ARENA_MAX = -8


def tune_gc_for_server() -> None:
    """To call once everything is loaded.

    Every turn leaves reference cycles of tasks, sockets and tracebacks behind. With the thresholds for starting, most
    of them would stay for hours. Objects that exist now are frozen: they stay, and collections that skip them are fast.
    """
    gc.freeze()
    gc.set_threshold(*DEFAULT_GC_THRESHOLDS)


def limit_malloc_arenas() -> None:
    """Use one malloc arena. To call before there are threads: waiting for a subprocess takes a thread for a moment, the
    database has its own, and glibc makes up to eight arenas per core for them, which don't share free memory."""
    _ask_glibc("mallopt", _M_ARENA_MAX, 1)


def give_memory_back() -> None:
    """Return free memory between blocks in use to the system. Without this, a server with 50 chats grew by most of a
    megabyte a minute, all of it free memory. Takes a few milliseconds."""
    _ask_glibc("malloc_trim", 0)


def _ask_glibc(function: str, *values: int) -> None:
    """Call a function of glibc. Does nothing with another C library."""
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):
            ask: Any = getattr(ctypes.CDLL(None), function)
            ask(*values)
