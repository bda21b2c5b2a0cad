"""A terminal with permanent output and a few live lines below it.

Importing this loads rich, so don't import it before the first request.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Literal

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from mulligan.cli.text.lines import Box, Line, Piece
from mulligan.cli.text.safe_text import lenient_stream, safe_text
from mulligan.cli.views.markdown import MarkdownText
from mulligan.cli.views.markdown_blocks import last_part

_TAIL = 4000
"""Most characters of an unfinished block to render: more than fit its rows on the screen."""


class Screen:
    """Printed text stays. The live lines below it are replaced, and erased by `clear`."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or open_console()
        self._live: Live | None = None
        self._last: Literal["nothing", "line", "text"] = "nothing"

    def print_markdown(self, block: str) -> None:
        self._print("text", _Block(block))

    def print_row(self, *pieces: Piece) -> None:
        """One row, cut at the terminal's edge."""
        self._print("line", _row(pieces))

    def print_line(self, *pieces: Piece) -> None:
        """A line that wraps."""
        self._print("line", Text.assemble(*pieces))

    def print_output(self, output: Line | Box) -> None:
        if isinstance(output, Box):
            self.print_box(output.words, output.hint, output.colour)
        elif output.wraps:
            self.print_line(*output.pieces)
        else:
            self.print_row(*output.pieces)

    def tell(self, words: str) -> None:
        """A sentence from Mulligan, not from the model."""
        self.print_line((safe_text(words), "dim"))

    def print_box(self, text: str, hint: str, colour: str) -> int:
        """Print all of it, and return the number of rows."""
        # Wrapped, never cut: the user may have to approve what it says.
        words = Text(safe_text(text), overflow="fold", no_wrap=False)
        if hint:
            words.append(f"\n{hint}", "dim")
        box = Panel(words, border_style=colour, expand=False)
        self._print("line", box)
        return len(self.console.render_lines(box))

    def print_gap(self) -> None:
        self._print("line", "")

    def show(self, unfinished: str, rows: Iterable[Sequence[Piece]]) -> None:
        """Replace the live lines: the unfinished block, and status rows."""
        lines: list[RenderableType] = []
        if unfinished.strip():
            if self._last != "nothing":
                lines.append("")
            # A taller block would flicker, and lines that scrolled away can't be redrawn.
            lines.append(_Block(last_part(unfinished, _TAIL), last=max(3, min(14, self.console.height // 2))))
        lines += [_row(pieces) for pieces in rows]
        self._open_live().update(Group(*lines), refresh=True)

    def clear(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _print(self, kind: Literal["line", "text"], what: RenderableType) -> None:
        """A blank line separates two blocks, and a block from anything else."""
        blank = self._last != "nothing" and "text" in (kind, self._last)
        self._last = kind
        # In a group, because rich forgets that a lone text must not wrap.
        self.console.print(Group("", what) if blank else Group(what))

    def _open_live(self) -> Live:
        if self._live is None:
            self._live = Live(
                console=self.console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
            # A killed process leaves the cursor as it is, so keep it visible.
            self.console.show_cursor(True)
        return self._live


class _Block:
    """Markdown without the blank lines and padding that rich adds; optionally only its last lines."""

    def __init__(self, text: str, *, last: int = 0) -> None:
        self._markdown = MarkdownText(text)
        self._last = last

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [_unpadded(line) for line in console.render_lines(self._markdown, options, pad=False)]
        written = [index for index, line in enumerate(lines) if line]
        if written:
            for line in lines[written[0] : written[-1] + 1][-self._last :]:
                yield from line
                yield Segment.line()


def _unpadded(line: Iterable[Segment]) -> list[Segment]:
    """Without the spaces that fill the row: they would be copied, and wrap when the window shrinks."""
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    return [*kept[:-1], Segment(kept[-1].text.rstrip(), kept[-1].style)] if kept else []


def open_console() -> Console:
    """Treats text as plain: no markup, no emoji codes, no highlighting. Respects NO_COLOR and TERM."""
    return Console(file=lenient_stream(sys.stdout), highlight=False, markup=False, emoji=False)


def _row(pieces: Iterable[Piece]) -> Text:
    return Text.assemble(*pieces, no_wrap=True, overflow="ellipsis")
