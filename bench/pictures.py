"""`python -m bench.pictures drill`: a picture of a real drill, for the documents.

All faults are played; of each group the first few are drawn, and the summary is that of all.
"""

import asyncio
import io
import re
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console

from mulligan.cli.views.drill_table import TerminalDrillView
from mulligan.cli.views.screen import Screen
from mulligan.drill.fault import DrillEnd, Fault, Outcome
from mulligan.drill.gallery import GALLERY
from mulligan.drill.player import play_all

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
WIDTH = 100
OF_A_GROUP = 2


def main(words: Sequence[str]) -> None:
    if words != ["drill"]:
        sys.exit("usage: python -m bench.pictures drill")
    outcomes: list[Outcome] = []
    end = asyncio.run(play_all(GALLERY, on_start=_no_words, on_end=outcomes.append))
    broken = [outcome.name for outcome in outcomes if not outcome.holds]
    if broken:
        sys.exit(f"there is nothing to show: {', '.join(broken)} did not hold")
    PICTURES.mkdir(exist_ok=True)
    file = PICTURES / "drill.svg"
    file.write_text(drill_picture(GALLERY, outcomes, end), encoding="utf-8")
    print(file)


def drill_picture(gallery: Sequence[Fault], outcomes: Sequence[Outcome], end: DrillEnd) -> str:
    """What a terminal shows, with less of each group, as SVG."""
    console = Console(record=True, file=io.StringIO(), width=WIDTH, force_terminal=True, color_system="truecolor")
    screen = Screen(console)
    view = TerminalDrillView(_drawn(gallery), screen)
    by_name = {outcome.name: outcome for outcome in outcomes}
    for _, faults in groupby(gallery, key=lambda fault: fault.group):
        first, rest = _parted(list(faults))
        for fault in first:
            view.take(by_name[fault.name])
        if rest:
            screen.print_line((f"… and {len(rest)} more", "dim"))
    view.finish(end)
    svg = console.export_svg(title="mulligan drill", unique_id="drill")
    # A picture in a document loads nothing: the reader's own fixed-width font will do.
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


def _drawn(gallery: Sequence[Fault]) -> list[Fault]:
    groups = (list(faults) for _, faults in groupby(gallery, key=lambda fault: fault.group))
    return [fault for group in groups for fault in _parted(group)[0]]


def _parted(group: list[Fault]) -> tuple[list[Fault], list[Fault]]:
    return group[:OF_A_GROUP], group[OF_A_GROUP:]


def _no_words(fault: Fault) -> None:
    """The picture shows how it ended."""
    del fault


if __name__ == "__main__":
    main(sys.argv[1:])
