"""Access control of the proxy."""

from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Scope

from mulligan.runtime.serving.requests import LOOPBACK, host_name, is_foreign, reached_address
from mulligan.runtime.serving.token import TokenGate

_OPEN = ("/", "/proxy.js", "/proxy.css")
"""The page itself is not secret; what it shows is."""


@dataclass(frozen=True, slots=True)
class Access:
    token_digest: str | None = None
    """None: everybody on this machine has access."""
    names: Collection[str] = ()
    """Host names under which it may be reached, besides those of this machine."""

    def refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Why a request is refused: status and message."""
        name = host_name(headers.get("host", ""))
        if name is None or (name not in LOOPBACK and name not in self.names and name != reached_address(scope)):
            return 403, "this proxy does not know that host name; to allow it: mulligan proxy --allow-host NAME"
        if is_foreign(scope):
            return 403, "pages of other sites may not send this request"
        if scope["path"] not in _OPEN and not TokenGate(self.token_digest).admits(_token(headers)):
            return 401, "send the proxy's token as the API key; `mulligan proxy` printed it"
        return None


def _token(headers: Headers) -> str | None:
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key") or headers.get("x-mulligan-token")
