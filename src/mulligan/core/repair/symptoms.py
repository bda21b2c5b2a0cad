"""What the difference between what a test got and what it wanted says about the slip behind it."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

Symptom = Literal["space", "case", "by_one", "flipped"]

TRUTH = [{"true", "false"}]
_GAVE = re.compile(r" gave (.*), expected (.*)$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SPACE = re.compile(r"""['"] +\w|\w +['"]""")
_LOGIC = re.compile(r"\b(?:and|or|not|in|is)\b|&&|\|\||!|[<>=]=?=?")
_ONE = re.compile(r"[+-] 1\b|\b\d+\b|[<>]=?")
_TRIMS = re.compile(r"strip\(|trim\(|TrimSpace", re.IGNORECASE)
_CASES = re.compile(r"lower|upper", re.IGNORECASE)


def values(failures: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What was got and what was wanted, of each failure that says so."""
    for line in failures:
        found = _GAVE.search(line)
        if found:
            yield found[1], found[2]


def symptoms(failures: Sequence[str]) -> frozenset[Symptom]:
    seen: set[Symptom] = set()
    for got, wanted in values(failures):
        if {got.lower(), wanted.lower()} in TRUTH:
            seen.add("flipped")
        if got != wanted and got.lower() == wanted.lower():
            seen.add("case")
        if _SPACE.search(got) and not _SPACE.search(wanted):
            seen.add("space")
        if _is_by_one(got, wanted):
            seen.add("by_one")
    return frozenset(seen)


def likelier(old: str, new: str, seen: frozenset[Symptom]) -> float:
    """By how much a change is likelier in the light of the symptoms."""
    gain = 0.0
    if "space" in seen and len(_TRIMS.findall(new)) > len(_TRIMS.findall(old)):
        gain = 3.2
    if "case" in seen and _CASES.findall(new) != _CASES.findall(old):
        gain = 3.0
    if "by_one" in seen and _ONE.findall(new) != _ONE.findall(old):
        gain = max(gain, 1.0)
    if "flipped" in seen and _LOGIC.findall(new) != _LOGIC.findall(old):
        gain = max(gain, 0.8)
    return gain


def _is_by_one(got: str, wanted: str) -> bool:
    if _NUMBER.fullmatch(got) and _NUMBER.fullmatch(wanted):
        return abs(float(got) - float(wanted)) == 1
    lists = got[:1] == wanted[:1] == "["
    return lists and abs(got.count(",") - wanted.count(",")) == 1
