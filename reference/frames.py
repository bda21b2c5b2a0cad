"""The page of frames."""

from reference.described import (
    FRAMES,
    RUN_FRAMES,
    SERVER_FRAMES,
    SOCKET,
    TURN_FRAMES,
    heading_of,
    homes,
    section,
)
from reference.markdown import bullets, link

GROUPS = {
    "Frames of a turn": (
        "Of `ask`, `code` and `delegate`, and of a fix run's coder. `turn_start` is the first, `turn_end` the last.",
        TURN_FRAMES,
    ),
    "Frames of a fix run": ("`run_start` is the first, `run_end` the last.", RUN_FRAMES),
    "Frames of the server": ("Only over the WebSocket.", SERVER_FRAMES),
    "Messages of the socket": (
        "What `/api/socket` sends, and `GET /api/frames` answers with. `frames` brings frames, each in an `Envelope`.",
        SOCKET,
    ),
}

INTRO = """\
What happens is told in frames: JSON objects, each with a `type`, which is its heading here. Under `--json` they are
printed one a line, and a field that is `null` is left out. The server sends them over a WebSocket, with every field
there ([how](../server.md)). New fields and new types may come; ignore those you do not know.

Ids (`chat_id`, `message_id`, `call_id`, …) are strings to compare, not to read. A `step` is counted from 1 within its
turn. Moments (`created_at`, …) are seconds since 1970; `seconds` and `delay` are seconds, `duration_ms` is
milliseconds."""


def blocks() -> list[str]:
    parts = sorted(name for name, page in homes().items() if page == FRAMES and name not in _framed())
    made = [
        INTRO,
        bullets(
            f"{link(title, '', title)}: {', '.join(link(heading_of(name), '', heading_of(name)) for name in names)}"
            for title, (_, names) in GROUPS.items()
        ),
    ]
    for title, (words, names) in GROUPS.items():
        made += [f"## {title}", words]
        for name in names:
            made += section(name, FRAMES)
    made += ["## What frames are made of", "The values that stand in the fields above."]
    for name in parts:
        made += section(name, FRAMES)
    return made


def _framed() -> set[str]:
    return {name for _, names in GROUPS.values() for name in names}
