"""What the proxy may do, by name. Everything is on unless it is switched off."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

Guard = Literal[
    "text_calls", "arguments", "names", "thinking", "empty", "repetition", "second_ask", "retry", "loops", "mistakes",
    "context", "constrained",
]  # fmt: skip

GUARDS: tuple[Guard, ...] = get_args(Guard)


@dataclass(frozen=True, slots=True)
class Switches:
    off: frozenset[Guard] = frozenset()

    def on(self, guard: Guard) -> bool:
        return guard not in self.off

    def without(self, guards: Iterable[Guard]) -> "Switches":
        return Switches(self.off | frozenset(guards))


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """What the user switched off when starting the proxy."""

    everywhere: Switches = field(default_factory=Switches)
    by_client: tuple[tuple[str, Guard], ...] = ()

    def switches_for(self, client: str, header: str | None) -> Switches:
        """The switches for one request. The header names guards, or `all`; unknown names are ignored."""
        named: list[Guard] = [guard for name, guard in self.by_client if name == client]
        return self.everywhere.without([*named, *(read_guards(header or "")[0])])


def read_guards(words: str) -> tuple[list[Guard], list[str]]:
    """The guards that a text names, separated by commas or spaces, and the unknown words."""
    known: list[Guard] = []
    unknown: list[str] = []
    for word in words.replace(",", " ").lower().split():
        name = word.replace("-", "_")
        found: list[Guard] = [guard for guard in GUARDS if name in (guard, "all")]
        known += found
        unknown += [] if found else [word]
    return known, unknown


def read_switches(options: Iterable[str]) -> SwitchedOff:
    """From options such as `loops` and `goose:loops,names`. Raises `ValueError` with the unknown word."""
    everywhere: list[Guard] = []
    by_client: list[tuple[str, Guard]] = []
    for option in options:
        client, colon, words = option.rpartition(":")
        guards, unknown = read_guards(words)
        if unknown or not guards:
            raise ValueError(f"{(unknown or [option])[0]!r} is nothing to switch off: all, {', '.join(GUARDS)}")
        if colon:
            by_client.extend((client.strip().lower(), guard) for guard in guards)
        else:
            everywhere += guards
    return SwitchedOff(Switches(frozenset(everywhere)), tuple(by_client))
