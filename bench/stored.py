"""Results as JSON. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from bench.results import Result

DIGITS = 4
"""That count: more would only make differences between two runs harder to see."""


def to_json(results: Iterable[Result]) -> str:
    whole = json.dumps([_as_object(result) for result in results])
    return json.dumps(json.loads(whole, parse_float=_rounded), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> list[Result]:
    return TypeAdapter(list[Result]).validate_json(text)


def merged(earlier: Iterable[Result], newer: Iterable[Result], order: Sequence[str]) -> list[Result]:
    """The newer result of each bench, in this order. Removed benches are left out."""
    by_name = {result.bench: result for result in (*earlier, *newer)}
    return [by_name[name] for name in order if name in by_name]


def _as_object(result: Result) -> dict[str, Any]:
    """Ratios and verdicts are derived, but stored too, for readers of the JSON alone."""
    figures = [asdict(figure) | {"ratio": figure.ratio, "holds": figure.holds} for figure in result.figures]
    return asdict(result) | {"figures": figures}


def _rounded(number: str) -> float:
    return float(f"{float(number):.{DIGITS}g}")
