"""Who may come in, and how often somebody may ask."""

import hmac
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from mulligan.types.errors import ConfigurationError

FleetRole = Literal["look", "submit", "work"]
"""What a token may do that is for the fleet alone. All may look. `submit` is for jobs, which may also be cancelled and
queued anew; `work` is for machines with models, which put their servers on the list and take them off."""

MOST_CLIENTS = 1000
"""Beyond that, those that are forgotten first are the ones seen longest ago."""


@dataclass(slots=True)
class Buckets:
    """One for each client."""

    size: int
    """How many at once."""
    a_second: float
    """And this many more each second."""
    clock: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """What was left, and when that was."""

    def take(self, client: str) -> float:
        """0 for yes. Else the seconds after which there is one again."""
        now = self.clock()
        left, then = self._left.pop(client, (float(self.size), now))
        left = min(self.size, left + (now - then) * self.a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self.a_second
        self._left[client] = (left if wait else left - 1, now)
        if len(self._left) > MOST_CLIENTS:
            del self._left[next(iter(self._left))]
        return wait


@dataclass(frozen=True, slots=True)
class TokenGate:
    digest: str | None = None
    """Of the token. None: the door is open."""
    attempts: Buckets = field(default_factory=lambda: Buckets(size=10, a_second=1 / 6))
    """At logging in."""
    fleet: Mapping[str, FleetRole] = field(default_factory=dict[str, FleetRole])
    """By the digest of a token that is for the fleet alone."""

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
    """Of the token that was made before; None if there is none."""
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
    """By the digest of a token that was made for the fleet."""
    roles: tuple[FleetRole, ...] = get_args(FleetRole)
    return {digest: role for role in roles if (digest := kept_digest(home, role))}


def make_token(home: Path, role: FleetRole | None = None) -> str:
    """A new one. The one before is void."""
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
