"""Whether a person has to choose a model before anything can answer."""

from typing import Literal

SetupState = Literal["ready", "choose", "missing"]
"""`missing`: nothing can answer yet. `choose`: something would, but there are several, and nobody has chosen."""


def setup_state(*, usable: bool, models: int, chosen: bool) -> SetupState:
    """`models` are those on servers that were found, `chosen` whether a person has named one."""
    if not usable:
        return "missing"
    return "choose" if models > 1 and not chosen else "ready"
