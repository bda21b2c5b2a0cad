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
        "From `ask`, `code` and `delegate`, and from a fix run's coder. `turn_start` comes first, `turn_end` last.",
        TURN_FRAMES,
    ),
    "Frames of a fix run": ("`run_start` comes first, `run_end` last.", RUN_FRAMES),
    "Frames of the server": ("Only over the WebSocket.", SERVER_FRAMES),
    "Messages of the socket": (
        "Sent by `/api/socket` and returned by `GET /api/frames`. `frames` holds frames, each in an `Envelope`.",
        SOCKET,
    ),
}

INTRO = """\
Frames report what happens. They are JSON objects with a `type`, which is the heading here. `--json` prints one per line
and leaves out fields that are `null`. The server sends them over a WebSocket, with every field present
([how](../server.md)). New fields and types may be added; ignore those you don't know.

Ids (`chat_id`, `message_id`, `call_id`, …) are opaque strings. A `step` counts from 1 within its turn. Times
(`created_at`, …) are seconds since 1970; `seconds` and `delay` are seconds, `duration_ms` is milliseconds."""


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
    made += ["## What frames are made of", "The types of the fields above."]
    for name in parts:
        made += section(name, FRAMES)
    return made


def _framed() -> set[str]:
    return {name for _, names in GROUPS.values() for name in names}
