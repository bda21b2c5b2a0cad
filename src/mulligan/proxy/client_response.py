"""What a client gets back: a reply in parts, or one whole answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.types import Send


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response that is not a reply of the model."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class ClientResponse:
    """Sends the answer to a client."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.streams = False
        self.ended = False

    async def reply(self, out: bytes) -> None:
        """A part of a reply; the first one starts it."""
        if not self.started:
            await self.begin_events() if self.streams else await self._begin(200, {"content-type": "application/json"})
        await self._send({"type": "http.response.body", "body": out, "more_body": True})

    async def begin_events(self) -> None:
        await self._begin(200, {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"})

    async def answer(self, answer: Answer) -> None:
        length = {"content-length": str(len(answer.body))}
        await self._begin(answer.status, {"content-type": "application/json", **answer.headers, **length})
        await self._send({"type": "http.response.body", "body": answer.body})
        self.ended = True

    async def end(self) -> None:
        if self.started and not self.ended:
            self.ended = True
            await self._send({"type": "http.response.body", "body": b""})

    async def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.started = True
        raw_headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw_headers})
