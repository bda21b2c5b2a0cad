"""What a process that goes on for hours does about its memory."""

import gc
import sys
from contextlib import suppress
from typing import Any

AS_USUAL = (700, 10, 10)
"""Python's own numbers. A command that starts has others, see `__main__`."""
_M_ARENA_MAX = -8


def keep_memory_flat() -> None:
    """Once all is loaded.

    Every turn leaves circles of tasks, sockets and tracebacks behind: looked for as rarely as while a command starts,
    most of them would stay for hours. What is there by now stays, and is left out of the look, which makes it short.
    """
    gc.freeze()
    gc.set_threshold(*AS_USUAL)


def use_one_pool() -> None:
    """Before there are threads. Every process that is waited for has one for a moment, the database has its own, and
    glibc has up to eight pools of memory a core for them: each keeps what is free in it from the others."""
    _ask_glibc("mallopt", _M_ARENA_MAX, 1)


def give_memory_back() -> None:
    """What was freed between pieces that are still in use. Left to itself, a server with 50 chats grew by most of a
    megabyte a minute, all of it free. Takes a few milliseconds."""
    _ask_glibc("malloc_trim", 0)


def _ask_glibc(function: str, *values: int) -> None:
    """Nothing happens where another C library is used."""
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):
            ask: Any = getattr(ctypes.CDLL(None), function)
            ask(*values)
