"""Whether work grows faster than the text it is done on. Measured as processor time, and generously: a linear reader
is far below every bound here, a quadratic one far above."""

import signal
import time
from collections.abc import Callable
from typing import Any

SIZE, LARGER = 6_000, 12_000
"""Characters of a text, and of one in `make explore`."""
SHORT = 0.1
"""Seconds of the processor in which whatever it is may be done on a larger text."""
LIMIT = 2.0
GROWTH = 9.0
"""For four times the text: 4 is linear, 16 is quadratic."""

QUICK = 100
"""Times faster than what counts as short: what is that fast on a quarter of the text is not measured on all of it,
where even work that grows with the cube of the text would still be short."""


class TooLong(BaseException):
    """Nobody may catch it."""


def grows_too_fast(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """`work` prepares what is to be done on a text of a size.

    Three measurements have to agree: the first may have loaded something, and a busy machine slows down some of them.
    """
    # Of half the text, quadratic work takes a quarter of the time: so what is noticed on a larger one is noticed here.
    short = SHORT * (SIZE / LARGER) ** 2 if size == SIZE else SHORT
    return all(_seems_to(work, size, short) for _ in range(3))


def _seems_to(work: Callable[[int], Callable[[], object]], size: int, short: float) -> bool:
    quarter = seconds(work(size // 4))
    if quarter < short / QUICK:
        return False
    quarter = min(quarter, seconds(work(size // 4)))  # the shorter a time, the more of it may be another's doing
    whole = seconds(work(size))
    return whole >= LIMIT or (whole >= short and whole > GROWTH * quarter)


def seconds(work: Callable[[], object]) -> float:
    """The limit, where it takes longer. Only in the main thread; a C function has to look out for signals."""

    def end(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, end)
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        work()
    except TooLong:
        return LIMIT
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - started
