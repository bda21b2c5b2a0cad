"""Model server addresses as people type them, and which key belongs to which."""

import re
from urllib.parse import urlsplit

from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.errors import ConfigurationError

_SCHEME = late_pattern(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def server_address(typed: str) -> str:
    """The address of a model server, completed: `localhost:11434` is `http://localhost:11434/v1`. Raises
    `ConfigurationError`."""
    address = typed.strip()
    address = (address if _SCHEME.match(address) else f"http://{address}").rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or re.search(r"[\s\\]", address):
        raise ConfigurationError("this is not a model server address, such as http://127.0.0.1:8080/v1")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("a key does not belong in the address: enter it as the key")
    takes_no_path = parts.hostname == "api.anthropic.com"
    return address if parts.path or takes_no_path else f"{address}/v1"


def same_server(one: str | None, other: str | None) -> bool:
    """Whether a key for the one may go to the other."""
    if not one or not other:
        return False
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.netloc.lower()) == (second.scheme, second.netloc.lower())
