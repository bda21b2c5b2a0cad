"""The queue: Procrastinate, over a connection that survives a restart of PostgreSQL.

Procrastinate hands out jobs, and knows which workers are alive and which jobs dead ones left. `store/fleet/jobs`
records a job's outcome, in one transaction with the job's own row, instead of Procrastinate after the task: a worker
that comes back from the dead would end a job that another one has by now.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
import psycopg_pool
from procrastinate import App, PsycopgConnector, exceptions
from procrastinate.connector import Notify
from procrastinate.manager import JobManager

from mulligan.fleet.retrying import retry_until_available

LIBPQ = {
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "sslmode", "sslrootcert", "sslcert", "sslkey",
    "connect_timeout", "application_name", "options", "target_session_attrs", "channel_binding", "gssencmode",
}  # fmt: skip
"""Parameters of a URL that psycopg knows. asyncpg treats all others as server settings."""


def open_queue(url: str) -> App:
    """Not connected yet. Small: a worker needs little, and there may be a thousand of them."""
    connector = RetryingConnector(conninfo=libpq_url(url), min_size=1, max_size=2)
    app = App(connector=connector)
    app.job_manager = JobManagerWithoutOutcomes(connector)
    return app


def libpq_url(url: str) -> str:
    """The same address in psycopg's format."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query)
    kept = [(name, value) for name, value in given if name in LIBPQ]
    settings = " ".join(f"-c {name}={value}" for name, value in given if name not in LIBPQ)
    if settings:
        kept.append(("options", settings))
    return urlunsplit(parts._replace(query=urlencode(kept, quote_via=quote)))


class JobManagerWithoutOutcomes(JobManager):
    """Leaves the ends of jobs to the fleet's own transactions."""

    async def finish_job(self, *args: Any, **kwargs: Any) -> None: ...

    async def retry_job(self, *args: Any, **kwargs: Any) -> None: ...


class RetryingConnector(PsycopgConnector):
    """Retries until PostgreSQL is back. A statement whose response was lost may have been executed: a second heartbeat
    does no harm, and `FleetWorkers.taken_unknown` finds a job that was taken without anybody knowing."""

    async def execute_query_async(self, query: Any, **arguments: Any) -> None:
        base = super()
        await retry_until_available(lambda: base.execute_query_async(query, **arguments), _is_outage)

    async def execute_query_one_async(self, query: Any, **arguments: Any) -> dict[str, Any]:
        base = super()
        return await retry_until_available(lambda: base.execute_query_one_async(query, **arguments), _is_outage)

    async def execute_query_all_async(self, query: Any, **arguments: Any) -> list[dict[str, Any]]:
        base = super()
        return await retry_until_available(lambda: base.execute_query_all_async(query, **arguments), _is_outage)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        base, listened = super(), tuple(channels)
        await retry_until_available(
            lambda: base.listen_notify(on_notification=on_notification, channels=listened), _is_outage
        )


def _is_outage(error: Exception) -> bool:
    cause = error.__cause__ if isinstance(error, exceptions.ConnectorException) else error
    return isinstance(cause, psycopg.OperationalError | psycopg_pool.PoolTimeout | OSError)
