"""Numbers frames, keeps them for a while, and hands them to every listening page.

Everything here runs on the event loop and never waits, so a number, what is kept and what pages get always agree.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from secrets import token_hex

from pydantic_core import PydanticSerializationError

from mulligan.core.text_fields import map_texts
from mulligan.core.visible_text import visible
from mulligan.server.frames.envelopes import Envelope, ServerFrame
from mulligan.types.frames import Frame, ReasoningStreamed, TextStreamed
from mulligan.types.run_frames import RunFrame

KEPT = 20_000
"""Frames for pages that come back or lag: 20 seconds of twenty chats at 50 tokens a second, hours of one."""
KEPT_CHARACTERS = 64_000_000
"""The same in bytes of JSON: some frames contain whole files."""


@dataclass(frozen=True, slots=True)
class FrameScope:
    """What a frame belongs to."""

    project_id: str
    chat_id: str | None = None
    run_id: str | None = None

    @property
    def key(self) -> str:
        """Identifies a piece of work: one at a time."""
        return self.run_id or self.chat_id or self.project_id


@dataclass(frozen=True, slots=True)
class Posted:
    """An envelope, serialized once for all pages."""

    seq: int
    json: str


class Subscription:
    """One page's position in the hub's frames. It holds no frames of its own, so a page that doesn't read costs
    nothing, and one that falls too far behind is told to load everything again."""

    def __init__(self, hub: "FrameHub", since: int, *, resync: bool) -> None:
        self._hub = hub
        self._since = since
        self.resync = resync
        """Frames that the page needs are gone."""
        self.due = asyncio.Event()
        """Set while there is something to take."""
        self.notice()

    @property
    def since(self) -> int:
        """The newest number that the page got."""
        return self._since

    def notice(self) -> None:
        if self._hub.seq > self._since:
            self.due.set()

    def take(self, most: int) -> tuple[Posted, ...] | None:
        """The next frames, in order. None if they are no longer kept: the page has lost everything older than now."""
        taken = self._hub.after(self._since, most)
        if taken is None:
            self._since = self._hub.seq
        elif taken:
            self._since = taken[-1].seq
        if self._since == self._hub.seq:
            self.due.clear()
        return taken


@dataclass(slots=True)
class FrameHub:
    kept: int = KEPT
    kept_characters: int = KEPT_CHARACTERS
    epoch: str = field(default_factory=lambda: token_hex(8))
    seq: int = 0
    """The number of the newest frame."""
    _posted: deque[Posted] = field(default_factory=deque[Posted])
    _characters: int = 0
    _pages: set[Subscription] = field(default_factory=set[Subscription])
    _live: dict[str, "_Live"] = field(default_factory=dict[str, "_Live"])

    def publish(self, frame: Frame | RunFrame | ServerFrame, scope: FrameScope) -> Envelope:
        self.seq += 1
        envelope, written = _written(
            Envelope(seq=self.seq, project_id=scope.project_id, chat_id=scope.chat_id, run_id=scope.run_id, frame=frame)
        )
        self._keep(Posted(envelope.seq, written))
        for key in {scope.chat_id, scope.run_id}:
            if key in self._live:
                self._live[key].add(envelope)
        for page in self._pages:
            page.notice()
        return envelope

    def open_live(self, key: str) -> None:
        """Keep all frames of this chat or run from now on, for pages that open in the middle."""
        self._live[key] = _Live()

    def close_live(self, key: str) -> None:
        self._live.pop(key, None)

    def live(self, key: str) -> tuple[Envelope, ...]:
        """The frames of the current turn or run; empty if there is none."""
        return self._live[key].envelopes() if key in self._live else ()

    def subscribe(self, *, since: int | None, epoch: str | None) -> Subscription:
        """Everything kept after `since`, then what comes. Without `since`, only what comes."""
        resync = since is not None and (epoch != self.epoch or since > self.seq or self.after(since, 1) is None)
        page = Subscription(self, self.seq if since is None or resync else since, resync=resync)
        self._pages.add(page)
        return page

    def leave(self, page: Subscription) -> None:
        self._pages.discard(page)

    def after(self, since: int, most: int) -> tuple[Posted, ...] | None:
        """At most this many frames after a number. None if some of them are no longer kept."""
        oldest = self.seq - len(self._posted) + 1
        if since < oldest - 1:
            return None
        start, behind = since - oldest + 1, self.seq - since
        if behind > start:
            return tuple(islice(self._posted, start, start + most))
        # A page is usually only a little behind, and a deque is walked from the nearer end.
        return tuple(islice(reversed(self._posted), behind))[::-1][:most]

    def _keep(self, posted: Posted) -> None:
        self._posted.append(posted)
        self._characters += len(posted.json)
        while len(self._posted) > self.kept or self._characters > self.kept_characters:
            self._characters -= len(self._posted.popleft().json)


def _written(envelope: Envelope) -> tuple[Envelope, str]:
    """An envelope that can be sent, and its JSON. Half of a surrogate pair, from a model or a file name, is written
    out: it must not end a turn, nor keep a page from loading it."""
    try:
        return envelope, envelope.model_dump_json()
    except PydanticSerializationError:
        sendable = map_texts(envelope, visible)
        return sendable, sendable.model_dump_json()


class _Live:
    """The frames of one turn or run. Streamed text becomes one piece, so that a long turn loads fast; it is joined only
    on request, so that a long text costs no more per token than a short one."""

    def __init__(self) -> None:
        self._before: list[Envelope] = []
        self._newest: Envelope | None = None
        self._pieces: list[str] = []
        """The text of the newest frame, if that streams."""

    def add(self, envelope: Envelope) -> None:
        frame = envelope.frame
        if not self._goes_on(frame):
            if self._newest:
                self._before.append(self._joined(self._newest))
            self._pieces = []
        if isinstance(frame, TextStreamed | ReasoningStreamed):
            self._pieces.append(frame.text)
        self._newest = envelope

    def envelopes(self) -> tuple[Envelope, ...]:
        return (*self._before, self._joined(self._newest)) if self._newest else ()

    def _goes_on(self, frame: Frame | RunFrame | ServerFrame) -> bool:
        last = self._newest.frame if self._newest else None
        return (
            isinstance(frame, TextStreamed | ReasoningStreamed)
            and isinstance(last, TextStreamed | ReasoningStreamed)
            and (last.type, last.message_id) == (frame.type, frame.message_id)
        )

    def _joined(self, envelope: Envelope) -> Envelope:
        if len(self._pieces) <= 1:
            return envelope
        return envelope.model_copy(update={"frame": envelope.frame.model_copy(update={"text": "".join(self._pieces)})})
