"""Where frames are numbered, kept for a while, and handed to every page that listens.

Everything here runs on the event loop and never waits, so a number, what is kept and what pages get always agree.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from secrets import token_hex

from mulligan.server.envelopes import Envelope, ServerFrame
from mulligan.types.frames import Frame, ReasoningStreamed, TextStreamed
from mulligan.types.run_frames import RunFrame

KEPT = 20_000
"""Frames for pages that come back: 20 seconds of twenty chats at 50 tokens a second, hours of one."""
BACKLOG = 50_000
"""Frames that a page may be behind before it is told to load everything again."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a frame belongs to."""

    project_id: str
    chat_id: str | None = None
    run_id: str | None = None

    @property
    def key(self) -> str:
        """By which work is known: one piece of it at a time."""
        return self.run_id or self.chat_id or self.project_id


class Subscription:
    """One page's frames, in order. It is never closed by the hub: a page that falls behind is told so."""

    def __init__(self, missed: tuple[Envelope, ...], *, resync: bool) -> None:
        self.resync = resync
        """What the page has can't be completed."""
        self._due: deque[Envelope] = deque(missed)
        self._wake = asyncio.Event()
        self.overrun = False
        """It fell too far behind; what it misses is lost to it."""
        if missed:
            self._wake.set()

    def put(self, envelope: Envelope) -> None:
        if len(self._due) >= BACKLOG:
            self.overrun = True
            self._due.clear()
        if not self.overrun:
            self._due.append(envelope)
        self._wake.set()

    async def take(self) -> tuple[Envelope, ...]:
        """All that is due, once something is. Empty only after an overrun."""
        await self._wake.wait()
        self._wake.clear()
        due = tuple(self._due)
        self._due.clear()
        return due


@dataclass(slots=True)
class FrameHub:
    epoch: str = field(default_factory=lambda: token_hex(8))
    seq: int = 0
    """Of the newest frame."""
    _kept: deque[Envelope] = field(default_factory=lambda: deque[Envelope](maxlen=KEPT))
    _pages: set[Subscription] = field(default_factory=set[Subscription])
    _live: dict[str, list[Envelope]] = field(default_factory=dict[str, list[Envelope]])

    def publish(self, frame: Frame | RunFrame | ServerFrame, place: Place) -> Envelope:
        self.seq += 1
        envelope = Envelope(
            seq=self.seq, project_id=place.project_id, chat_id=place.chat_id, run_id=place.run_id, frame=frame
        )
        self._kept.append(envelope)
        for page in self._pages:
            page.put(envelope)
        for key in (place.chat_id, place.run_id):
            if key in self._live:
                _add(self._live[key], envelope)
        return envelope

    def open_live(self, key: str) -> None:
        """From now on all frames of this chat or run are kept, for pages that open in the middle."""
        self._live[key] = []

    def close_live(self, key: str) -> None:
        self._live.pop(key, None)

    def live(self, key: str) -> tuple[Envelope, ...]:
        """The frames of the turn or run under way; empty if there is none."""
        return tuple(self._live.get(key, ()))

    def subscribe(self, *, since: int | None, epoch: str | None) -> Subscription:
        """Everything after `since`, as far as it is kept, then what comes. Without `since`, what comes."""
        missed: tuple[Envelope, ...] = ()
        resync = False
        if since is not None:
            oldest = self._kept[0].seq if self._kept else self.seq + 1
            resync = epoch != self.epoch or since > self.seq or since < oldest - 1
            missed = () if resync else tuple(each for each in self._kept if each.seq > since)
        page = Subscription(missed, resync=resync)
        self._pages.add(page)
        return page

    def leave(self, page: Subscription) -> None:
        self._pages.discard(page)


def _add(live: list[Envelope], envelope: Envelope) -> None:
    """Text that streams is kept as one piece, so that a long turn does not take a page's whole patience to load."""
    last = live[-1].frame if live else None
    frame = envelope.frame
    for kind in (TextStreamed, ReasoningStreamed):
        if isinstance(last, kind) and isinstance(frame, kind) and last.message_id == frame.message_id:
            merged = frame.model_copy(update={"text": last.text + frame.text})
            live[-1] = envelope.model_copy(update={"frame": merged})
            return
    live.append(envelope)
