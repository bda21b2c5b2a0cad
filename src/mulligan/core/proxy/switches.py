"""What the proxy may do, by name. All of it is on unless somebody switches it off."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

Guard = Literal[
    "text_calls", "arguments", "names", "thinking", "empty", "repetition", "second_ask", "retry", "loops", "mistakes",
    "context", "constrained",
]  # fmt: skip

GUARDS: tuple[Guard, ...] = get_args(Guard)

WHAT_THEY_DO: dict[Guard, str] = {
    "text_calls": "calls that the model wrote as text become native calls",
    "arguments": "arguments that are no JSON, or do not fit the tool's schema, are repaired",
    "names": "a tool's name with one clear meaning is corrected",
    "thinking": "thinking that was written into the answer is separated from it",
    "empty": "an empty reply is asked for again",
    "repetition": "a reply that says the same over and over is cut off and asked for again",
    "second_ask": "a call that can't be repaired is asked for once more, with the error",
    "retry": "server errors and cut streams are tried again",
    "loops": "calls that come again without progress get a note, lose their tool, and then end the turn",
    "mistakes": "failing calls in a row get a note, and then end the turn",
    "context": "a prompt that the server would cut without a word is refused as too long",
    "constrained": "where native calls do not work, the reply is forced into a schema of the tools",
}


@dataclass(frozen=True, slots=True)
class Switches:
    off: frozenset[Guard] = frozenset()

    def on(self, guard: Guard) -> bool:
        return guard not in self.off

    def without(self, guards: Iterable[Guard]) -> "Switches":
        return Switches(self.off | frozenset(guards))


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """What a person switched off when the proxy was started."""

    everywhere: Switches = field(default_factory=Switches)
    by_client: tuple[tuple[str, Guard], ...] = ()

    def switches_for(self, client: str, header: str | None) -> Switches:
        """Those of one request. The header names guards, or `all`; names that nobody knows switch nothing."""
        named: list[Guard] = [guard for name, guard in self.by_client if name == client]
        return self.everywhere.without([*named, *(read_guards(header or "")[0])])


def read_guards(words: str) -> tuple[list[Guard], list[str]]:
    """The guards that a text names, with commas or spaces between them, and the words that name none."""
    known: list[Guard] = []
    unknown: list[str] = []
    for word in words.replace(",", " ").lower().split():
        name = word.replace("-", "_")
        found: list[Guard] = [guard for guard in GUARDS if name in (guard, "all")]
        known += found
        unknown += [] if found else [word]
    return known, unknown


def read_switches(options: Iterable[str]) -> SwitchedOff:
    """From options such as `loops` and `goose:loops,names`. Raises `ValueError` that names the word nobody knows."""
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
