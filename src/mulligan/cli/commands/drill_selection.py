"""Which faults a drill runs. Pure."""

from collections.abc import Sequence

from mulligan.drill.fault import Fault
from mulligan.types.errors import ConfigurationError

MAX_NEAR_NAMES = 3


def select_faults(gallery: Sequence[Fault], names: Sequence[str]) -> list[Fault]:
    """The named faults, or those of the named groups, in the gallery's order; all if none is named.

    Raises `ConfigurationError` for an unknown name.
    """
    known = known_names(gallery)
    for name in names:
        if _dashed(name) not in known:
            raise ConfigurationError(
                f"there is no fault or group {name!r}{_near(name, known)}; `mulligan drill --list` lists them all"
            )
    wanted = {_dashed(name) for name in names}
    return [fault for fault in gallery if not wanted or wanted & {fault.name, group_name(fault)}]


def known_names(gallery: Sequence[Fault]) -> list[str]:
    """What `--only` takes: the groups, then the faults."""
    return list(dict.fromkeys([*map(group_name, gallery), *(fault.name for fault in gallery)]))


def group_name(fault: Fault) -> str:
    """A group as it is typed: one word."""
    return _dashed(fault.group)


def _dashed(name: str) -> str:
    return name.strip().lower().replace(" ", "-").replace("_", "-")


def _near(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    # The names are short and few, and rapidfuzz would take longer to import.
    found = get_close_matches(_dashed(name), known, n=MAX_NEAR_NAMES, cutoff=0.5)
    return f"; similar: {', '.join(found)}" if found else ""
