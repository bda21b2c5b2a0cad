"""Shows the stored frames of a job like those of a local fix run."""

import json
import sys
from collections.abc import Sequence
from functools import cache

from mulligan.cli.views.run_views import PlainRunViewer
from mulligan.store.fleet.reading import LogPiece
from mulligan.types.base import validate
from mulligan.types.frames import Frame
from mulligan.types.run_frames import RunEnd, RunFrame


def show_frames(pieces: Sequence[LogPiece], *, as_json: bool) -> None:
    for line in (line for piece in pieces for line in piece.frames.split("\n")):
        if as_json:
            sys.stdout.write(f"{line}\n")
            continue
        try:
            frame = validate(Frame | RunFrame, json.loads(line))
        except ValueError:  # a newer worker's, or a notice
            continue
        # The folder of its run is gone, and what it changed is fetched.
        _viewer()(frame.model_copy(update={"report": "", "pending": 0}) if isinstance(frame, RunEnd) else frame)
    sys.stdout.flush()


@cache
def _viewer() -> PlainRunViewer:
    return PlainRunViewer(next_words=lambda _: "")
