"""Fix runs, in the order of their project's counter, and the process that works on each."""

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from mulligan.ports.runs import KeptRun
from mulligan.store.changes import exact_name, name_of
from mulligan.store.database import Queries, Row
from mulligan.store.ids import one_by_prefix
from mulligan.store.process_owner import Owner, will_not_finish
from mulligan.types.errors import ConfigurationError, StoreError

if TYPE_CHECKING:  # making its classes takes time at every start, and most commands know no runs
    from mulligan.types.fixing import RunState


async def add(queries: Queries, state: "RunState", *, owner: Owner, now: float) -> None:
    """Keep a run behind all others of its project. Runs inside a transaction."""
    await queries.execute(
        "INSERT INTO fix_runs (id, project, seq, state, owner, created_at, updated_at)"
        " VALUES (:id, :project, :seq, :state, :owner, :now, :now)",
        id=state.id,
        project=exact_name(state.project),
        seq=await _next_seq(queries, state.project),
        state=_body(state),
        owner=owner.to_json(),
        now=now,
    )


async def save(queries: Queries, state: "RunState", *, owner: Owner, now: float) -> None:
    """Raises `ConfigurationError` if this process does not work on it: another one may have taken it over."""
    saved = await queries.fetch_one(
        "UPDATE fix_runs SET state = :state, updated_at = :now WHERE id = :id AND owner = :owner RETURNING id",
        id=state.id,
        state=_body(state),
        owner=owner.to_json(),
        now=now,
    )
    if saved is None:
        raise ConfigurationError(f"run {state.id} is not held by this process any more")


async def claim(queries: Queries, run_id: str, *, owner: Owner, now: float) -> "RunState":
    """Runs inside a transaction. Raises `ConfigurationError` if a live process works on it, be it this one."""
    # Assigning a column to itself locks the row in both databases: of two that claim it, the later sees the other.
    row = await queries.fetch_one("UPDATE fix_runs SET owner = owner WHERE id = :id RETURNING *", id=run_id)
    if row is None:
        raise ConfigurationError(f"there is no run {run_id!r}: `mulligan runs list` lists them")
    if _is_running(row, host=owner.host, now=now):
        other = Owner.from_json(row["owner"])
        raise ConfigurationError(
            f"process {other.pid} on {other.host} works on run {run_id}: wait until it is done, or stop that process"
        )
    await queries.execute(
        "UPDATE fix_runs SET owner = :owner, updated_at = :now WHERE id = :id",
        id=run_id,
        owner=owner.to_json(),
        now=now,
    )
    return _state(row)


async def release(queries: Queries, run_id: str, *, owner: Owner) -> None:
    """A run that another process has taken over stays with that one."""
    await queries.execute(
        "UPDATE fix_runs SET owner = NULL WHERE id = :id AND owner = :owner", id=run_id, owner=owner.to_json()
    )


async def find(queries: Queries, project: str, prefix: str, *, host: str, now: float) -> KeptRun:
    """The project's run whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
    row = await one_by_prefix(
        queries,
        "SELECT * FROM fix_runs WHERE project = :project AND substr(id, 1, :length) = :typed ORDER BY id LIMIT 4",
        prefix,
        what="run",
        where=" of this project: `mulligan runs list` lists them",
        project=exact_name(project),
    )
    return _kept(row, host=host, now=now)


async def of_project(queries: Queries, project: str, *, host: str, now: float) -> list[KeptRun]:
    """The newest first."""
    rows = await queries.fetch_all(
        "SELECT * FROM fix_runs WHERE project = :project ORDER BY seq DESC", project=exact_name(project)
    )
    return [_kept(row, host=host, now=now) for row in rows]


async def _next_seq(queries: Queries, project: str) -> int:
    """The counter's row stays locked until the transaction ends, so no two runs get one place."""
    row = await queries.fetch_one(
        "INSERT INTO run_counters (project, next_seq) VALUES (:project, 2)"
        " ON CONFLICT (project) DO UPDATE SET next_seq = run_counters.next_seq + 1 RETURNING next_seq - 1 AS seq",
        project=exact_name(project),
    )
    if row is None:
        raise StoreError("the database gave a new run no place")
    return row["seq"]


def _is_running(row: Row, *, host: str, now: float) -> bool:
    if row["owner"] is None:
        return False
    return not will_not_finish(Owner.from_json(row["owner"]), silence=now - row["updated_at"], host=host)


def _kept(row: Row, *, host: str, now: float) -> KeptRun:
    return KeptRun(state=_state(row), running=_is_running(row, host=host, now=now), updated_at=row["updated_at"])


def _body(state: "RunState") -> str:
    """The state as JSON, without outputs, which are in the logs.

    In ASCII: so it holds names of files that are no text, and whatever a command printed, to the character.
    """
    return json.dumps(state.model_dump(exclude={"runs": {"__all__": {"stdout", "stderr"}}}))


def _state(row: Row) -> "RunState":
    from mulligan.types.fixing import RunState

    try:
        fields = json.loads(row["state"])
        # JSON would make one character of two lone surrogates, so the project is not taken from it.
        return RunState.model_validate(fields | {"project": name_of(row["project"])})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        problem = f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"
    except json.JSONDecodeError as error:
        problem = str(error)
    raise StoreError(
        f"run {row['id']} can't be read: a newer Mulligan wrote it, or it is damaged. "
        f"Upgrading Mulligan may help ({problem})"
    )
