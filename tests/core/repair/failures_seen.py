"""A failure as the tests of failure lines put it."""

from mulligan.core.program_repair.failures.lines import Seen
from mulligan.types.fixing import FailingTest


def seen(
    path: str,
    detail: str,
    statement: str,
    body: str = "",
    *,
    message: str = "",
    name: str = "test",
    raised_at: str = "",
) -> Seen:
    test = FailingTest(id=name, name=name, path=path, message=message, detail=detail)
    return Seen(test, path, statement, body, raised_at)
