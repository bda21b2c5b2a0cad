"""Progress of a download: a bar on a terminal, otherwise an occasional line. Both go to standard error."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from mulligan.cli.text.safe_text import lenient_stream, safe_text
from mulligan.core.byte_sizes import format_size
from mulligan.models.embedded.download_progress import Checking, Downloading, MirrorSkipped, Progress, Report, Waiting

if TYPE_CHECKING:
    from rich.console import Console

EVERY_PERCENT = 5
"""Percent between two plain lines."""
WAITING = "another process is downloading it; waiting"


@contextmanager
def showing_progress(name: str) -> Generator[Report]:
    """Shows the download of the model of this name."""
    if not sys.stderr.isatty():
        yield PlainProgress(name, lenient_stream(sys.stderr))
        return
    from rich.console import Console

    bar = ProgressBar(name, Console(stderr=True, highlight=False, markup=False, emoji=False))
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def report_progress(name: str) -> Generator[Report]:
    """The same in lines, for a download in parallel with other output, which would overwrite a bar."""
    yield PlainProgress(name, lenient_stream(sys.stderr))


class PlainProgress:
    """Lines such as `qwen2.5-coder-1.5b: 35 % of 1.1 GB from PyPI, 12 MB/s, 60 s left`."""

    def __init__(self, name: str, notes: TextIO, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._notes = notes
        self._monotonic = monotonic
        self._last = ""
        self._pace: Pace | None = None

    def __call__(self, progress: Progress) -> None:
        match progress:
            case Downloading(done, total, mirror):
                self._pace = self._pace or Pace(done, self._monotonic())
                share = done * 100 // total // EVERY_PERCENT * EVERY_PERCENT
                speed = self._pace.words(done, total, self._monotonic())
                self._say(f"{mirror} {share}", f"{share} % of {format_size(total)} from {mirror}{speed}")
            case Checking():
                self._say("checking", "checking the part already downloaded")
            case Waiting():
                self._say("waiting", WAITING)
            case MirrorSkipped(mirror, reason):
                self._pace = None
                self._say(reason, f"{mirror} {safe_text(reason)}")

    def _say(self, what: str, words: str) -> None:
        if what != self._last:
            self._last = what
            self._notes.write(f"{self._name}: {words}\n")
            self._notes.flush()


class ProgressBar:
    """One line that is redrawn."""

    def __init__(self, name: str, console: "Console") -> None:
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
        from rich.progress import Progress as Bars

        self._name = name
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._bars.start()
        self._shown = ""
        self._task = self._bars.add_task(name, total=None)

    def __call__(self, progress: Progress) -> None:
        match progress:
            case Downloading(done, total, mirror):
                self._show(f"{self._name} from {mirror}", done, total)
            case Checking(done, total):
                self._show(f"{self._name}: checking", done, total)
            case Waiting():
                self._show(f"{self._name}: {WAITING}", 0, None)
            case MirrorSkipped(mirror, reason):
                self._bars.console.print(f"{self._name}: {mirror} {safe_text(reason)}", markup=False)

    def close(self) -> None:
        self._bars.stop()

    def _show(self, words: str, done: int, total: int | None) -> None:
        if words != self._shown:
            # Speed and time left count from here: the rest was already on disk.
            self._shown = words
            self._bars.reset(self._task, total=total, completed=done, description=words)
        self._bars.update(self._task, completed=done)


class Pace:
    """Speed since this download started."""

    def __init__(self, begun: int, at: float) -> None:
        self._begun = begun
        self._at = at

    def words(self, done: int, total: int, now: float) -> str:
        came, took = done - self._begun, now - self._at
        if came <= 0 or took <= 0:
            return ""
        speed = came / took
        return f", {format_size(speed)}/s, {(total - done) / speed:.0f} s left"
