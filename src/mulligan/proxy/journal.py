"""What the proxy did, for which client and how often. Kept only in memory, and never with keys or whole
conversations."""

import asyncio
import json
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from mulligan.core.secrets import mask_secrets

KEPT_EVENTS = 200
MAX_SHOWN_CHARS = 600
"""Most characters of the text before and after."""
WAITING_EVENTS = 100
"""Events kept for a page that does not read. The oldest are dropped."""


@dataclass(frozen=True, slots=True)
class ProxyAction:
    """One action of the proxy on a request or a reply."""

    number: int
    time: float
    client: str
    model: str
    what: str
    """The name of the action: `missing_brace`, `call_as_text`, `loop`, `retried`, …"""
    before: str = ""
    after: str = ""


@dataclass(slots=True)
class Account:
    """One request, as logged."""

    client: str
    dialect: str
    model: str = ""
    stream: bool = False
    status: int = 0
    asked: int = 0
    """Requests to the model."""
    first_byte_ms: float | None = None
    ms: float = 0.0
    actions: tuple[str, ...] = ()


class Journal:
    def __init__(self, *, log: Callable[[str], None] | None = None) -> None:
        """`log` gets a JSON line for each request."""
        self._log = log
        self._actions: deque[ProxyAction] = deque(maxlen=KEPT_EVENTS)
        self._count = 0
        self._by_action: Counter[tuple[str, str]] = Counter()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._asked: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._open = 0
        self._watching: set[asyncio.Queue[str]] = set()

    @contextmanager
    def request(self, account: Account) -> Generator[None]:
        """Counts a request for as long as the context lasts."""
        began = time.monotonic()
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            account.ms = round((time.monotonic() - began) * 1000, 2)
            self._requests[account.client, account.dialect, account.status] += 1
            self._asked[account.client] += account.asked
            self._seconds[account.client] = self._seconds.get(account.client, 0.0) + account.ms / 1000
            if self._log:
                self._log(json.dumps({"type": "request", "time": time.time(), **asdict(account)}))
            self._publish({"type": "totals", **self.totals()})

    def note(self, account: Account, what: str, before: str = "", after: str = "") -> None:
        self._count += 1
        account.actions = (*account.actions, what)
        self._by_action[account.client, what] += 1
        action = ProxyAction(
            self._count, time.time(), account.client, account.model, what, _shown(before), _shown(after)
        )
        self._actions.append(action)
        self._publish({"type": "action", **asdict(action)})

    def totals(self) -> dict[str, Any]:
        clients = sorted({client for client, _, _ in self._requests} | {client for client, _ in self._by_action})
        return {
            "open": self._open,
            "clients": [
                {
                    "name": client,
                    "requests": sum(count for (name, _, _), count in self._requests.items() if name == client),
                    "asked": self._asked[client],
                    "actions": {
                        what: count for (name, what), count in sorted(self._by_action.items()) if name == client
                    },
                }
                for client in clients
            ],
        }

    def newest(self) -> list[dict[str, Any]]:
        return [asdict(action) for action in reversed(self._actions)]

    async def watch(self) -> AsyncGenerator[str]:
        """What happens from now on, as JSON."""
        queue: asyncio.Queue[str] = asyncio.Queue(WAITING_EVENTS)
        self._watching.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._watching.discard(queue)

    def metrics(self) -> str:
        """Prometheus text."""
        lines = ["# TYPE mulligan_proxy_requests_total counter"]
        lines += [
            f"mulligan_proxy_requests_total{_labels(client=client, dialect=dialect, status=str(status))} {count}"
            for (client, dialect, status), count in sorted(self._requests.items())
        ]
        lines.append("# TYPE mulligan_proxy_upstream_requests_total counter")
        lines += [
            f"mulligan_proxy_upstream_requests_total{_labels(client=client)} {count}"
            for client, count in sorted(self._asked.items())
        ]
        lines.append("# TYPE mulligan_proxy_actions_total counter")
        lines += [
            f"mulligan_proxy_actions_total{_labels(client=client, what=what)} {count}"
            for (client, what), count in sorted(self._by_action.items())
        ]
        lines.append("# TYPE mulligan_proxy_request_seconds_sum counter")
        lines += [
            f"mulligan_proxy_request_seconds_sum{_labels(client=client)} {seconds:.3f}"
            for client, seconds in sorted(self._seconds.items())
        ]
        lines += ["# TYPE mulligan_proxy_open_requests gauge", f"mulligan_proxy_open_requests {self._open}"]
        return "\n".join(lines) + "\n"

    def _publish(self, event: dict[str, Any]) -> None:
        if not self._watching:
            return
        line = json.dumps(event)
        for queue in self._watching:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(line)


def _labels(**labels: str) -> str:
    quoted = (
        f'{name}="{value.replace(chr(92), "").replace(chr(34), "").replace(chr(10), " ")}"'
        for name, value in labels.items()
    )
    return "{" + ",".join(quoted) + "}"


def _shown(text: str) -> str:
    return mask_secrets(text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…")
