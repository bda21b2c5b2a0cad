"""A failure as the tests of failure lines put it."""

from mulligan.core.failures.summaries.lines import FailureInCode
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
) -> FailureInCode:
    test = FailingTest(id=name, name=name, path=path, message=message, detail=detail)
    return FailureInCode(test, path, statement, body, raised_at)
