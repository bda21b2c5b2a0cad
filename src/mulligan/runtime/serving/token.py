"""Access tokens and rate limits."""

import hmac
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import get_args

from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import FleetRole

MAX_CLIENTS = 1000
"""Most clients to remember. The one seen longest ago is forgotten first."""


@dataclass(slots=True)
class Buckets:
    """A rate limit: a token bucket for each client."""

    size: int
    """Most requests at once."""
    a_second: float
    """How many more are allowed each second."""
    clock: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """By client: how many were left, and when."""

    def take(self, client: str) -> float:
        """0 if the request is allowed, else how many seconds to wait."""
        now = self.clock()
        left, then = self._left.pop(client, (float(self.size), now))
        left = min(self.size, left + (now - then) * self.a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self.a_second
        self._left[client] = (left if wait else left - 1, now)
        if len(self._left) > MAX_CLIENTS:
            del self._left[next(iter(self._left))]
        return wait


@dataclass(frozen=True, slots=True)
class TokenGate:
    digest: str | None = None
    """Of the token. None: no token is needed."""
    attempts: Buckets = field(default_factory=lambda: Buckets(size=10, a_second=1 / 6))
    """Limits attempts to log in."""
    fleet: Mapping[str, FleetRole] = field(default_factory=dict[str, FleetRole])
    """Roles by the digests of tokens that are for the fleet alone."""

    def admits(self, token: str | None) -> bool:
        if self.digest is None:
            return True
        return token is not None and hmac.compare_digest(_digest(token), self.digest)

    def fleet_role(self, token: str | None) -> FleetRole | None:
        given = _digest(token or "")
        return next((role for digest, role in self.fleet.items() if hmac.compare_digest(given, digest)), None)


def token_file(home: Path, role: FleetRole | None = None) -> Path:
    return home / (f"fleet-token-{role}" if role else "server-token")


def kept_digest(home: Path, role: FleetRole | None = None) -> str | None:
    """The digest of the existing token; None if there is none."""
    file = token_file(home, role)
    try:
        return file.read_text(encoding="ascii").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file} can't be read: {error}. --{'fleet' if role else 'new'}-token makes another"
        ) from error


def kept_fleet_roles(home: Path) -> dict[str, FleetRole]:
    """Roles by the digests of the existing tokens for the fleet."""
    roles: tuple[FleetRole, ...] = get_args(FleetRole)
    return {digest: role for role in roles if (digest := kept_digest(home, role))}


def make_token(home: Path, role: FleetRole | None = None) -> str:
    """Make a new token, which invalidates the previous one."""
    token = secrets.token_urlsafe(32)
    file = token_file(home, role)
    fresh = file.with_suffix(f".{os.getpid()}")
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(_digest(token) + "\n")
        fresh.replace(file)
    except OSError as error:
        raise ConfigurationError(f"{file} can't be written: {error.strerror}") from error
    return token


def _digest(token: str) -> str:
    return sha256(token.encode(errors="surrogatepass")).hexdigest()
