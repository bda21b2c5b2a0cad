"""Whether the user has to choose a model first."""

from typing import Literal

SetupState = Literal["ready", "choose", "missing"]
"""`missing`: there is no model yet. `choose`: there are several, and the user has not chosen one."""


def setup_state(*, usable: bool, models: int, chosen: bool) -> SetupState:
    """`models`: how many the discovered servers have. `chosen`: the user has named one."""
    if not usable:
        return "missing"
    return "choose" if models > 1 and not chosen else "ready"
