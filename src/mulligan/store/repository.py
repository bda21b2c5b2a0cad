"""The base class of the repositories."""

from collections.abc import Callable

from mulligan.store.database import Database
from mulligan.store.process_owner import Owner, will_not_finish


class SqlRepository:
    """Stores one kind of thing. Every public method is one transaction.

    `owner` is this process; `clock` gives the seconds since the epoch.
    """

    def __init__(self, database: Database, owner: Owner, clock: Callable[[], float]) -> None:
        self._database = database
        self._owner = owner
        self._clock = clock

    def _is_interrupted(self, owner: str, *, since: float) -> bool:
        """Whether the process that started to work at that time will not continue."""
        silence = self._clock() - since
        return will_not_finish(Owner.from_json(owner), silence=silence, host=self._owner.host)
