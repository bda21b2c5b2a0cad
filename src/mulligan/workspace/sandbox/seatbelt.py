"""Confinement on macOS: a profile for `sandbox-exec`. We have not tested it on a Mac."""

from collections.abc import Iterable
from pathlib import Path

from mulligan.types.sandbox import SandboxProfile

ALWAYS = """\
(version 1)
(deny default)
(allow process-fork process-exec signal (target same-sandbox))
(allow sysctl-read mach-lookup ipc-posix-shm* file-ioctl)
(allow file-read-metadata)
(allow file-read* (subpath "/"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
"""


def seatbelt_profile(profile: SandboxProfile, *, private: Path) -> str:
    """Later rules override earlier ones."""
    rules = [
        ALWAYS.rstrip(),
        _rule("deny", "file-read*", profile.hidden),
        _rule("allow", "file-read*", profile.readable),
        _rule("allow", "file-read* file-write*", (*profile.writable, profile.cache, private)),
        _rule("deny", "file-write*", (*profile.protected, *profile.kept)),
        _rule("deny", "file-read* file-write*", profile.masked),
        "(allow network*)" if profile.network else "(deny network*)",
    ]
    return "\n".join(rule for rule in rules if rule) + "\n"


def _rule(word: str, what: str, places: Iterable[Path]) -> str:
    named = " ".join(f"(subpath {_quoted(place)})" for place in places)
    return f"({word} {what} {named})" if named else ""


def _quoted(place: Path) -> str:
    text = str(place).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
