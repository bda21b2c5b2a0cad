"""Fix runs, numbered per project, and the process that works on each."""

import json
from typing import TYPE_CHECKING

from mulligan.ports.runs import KeptRun
from mulligan.store.database import Row
from mulligan.store.process_owner import Owner
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import find_by_prefix, insert, next_seq
from mulligan.store.serialization import exact_name, load, name_of
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:  # making its classes takes time at every start, and most commands know no runs
    from mulligan.types.fixing import RunState


class SqlRunRepository(SqlRepository):
    """The port `RunRepository`, and queries for starting, resuming and showing runs."""

    async def add(self, state: "RunState") -> None:
        """Store a new run, which this process works on."""
        now, project = self._clock(), exact_name(state.project)
        async with self._database.transaction() as queries:
            await insert(
                queries,
                "fix_runs",
                id=state.id,
                project=project,
                seq=await next_seq(queries, "run_counters", "project", project),
                state=_body(state),
                owner=self._owner.to_json(),
                created_at=now,
                updated_at=now,
            )

    async def save(self, state: "RunState") -> None:
        saved = await self._database.fetch_one(
            "UPDATE fix_runs SET state = :state, updated_at = :now WHERE id = :id AND owner = :owner RETURNING id",
            id=state.id,
            state=_body(state),
            owner=self._owner.to_json(),
            now=self._clock(),
        )
        if saved is None:
            raise ConfigurationError(f"run {state.id} does not belong to this process any more")

    async def claim(self, run_id: str) -> "RunState":
        """Take over a run whose process is gone. Raises `ConfigurationError` if a live process works on it, including
        this one."""
        async with self._database.transaction() as queries:
            # Assigning a column to itself locks the row in both databases: of two that claim it, the later one sees
            # the other.
            row = await queries.fetch_one("UPDATE fix_runs SET owner = owner WHERE id = :id RETURNING *", id=run_id)
            if row is None:
                raise ConfigurationError(f"there is no run {run_id!r}: `mulligan runs list` lists them")
            if self._is_running(row):
                other = Owner.from_json(row["owner"])
                raise ConfigurationError(f"{other} works on run {run_id}: wait until it is done, or stop that process")
            await queries.execute(
                "UPDATE fix_runs SET owner = :owner, updated_at = :now WHERE id = :id",
                id=run_id,
                owner=self._owner.to_json(),
                now=self._clock(),
            )
            return _state(row)

    async def release(self, run_id: str) -> None:
        await self._database.execute(
            "UPDATE fix_runs SET owner = NULL WHERE id = :id AND owner = :owner", id=run_id, owner=self._owner.to_json()
        )

    async def find(self, project: str, prefix: str) -> KeptRun:
        """The run of this project whose id starts with the prefix. Raises `ConfigurationError` for none or several."""
        row = await find_by_prefix(
            self._database,
            "fix_runs",
            prefix,
            what="run",
            where=" of this project: `mulligan runs list` lists them",
            project=exact_name(project),
        )
        return self._kept(row)

    async def list(self, project: str) -> list[KeptRun]:
        """The newest first."""
        rows = await self._database.fetch_all(
            "SELECT * FROM fix_runs WHERE project = :project ORDER BY seq DESC", project=exact_name(project)
        )
        return [self._kept(row) for row in rows]

    def _kept(self, row: Row) -> KeptRun:
        return KeptRun(state=_state(row), running=self._is_running(row), updated_at=row["updated_at"])

    def _is_running(self, row: Row) -> bool:
        return row["owner"] is not None and not self._is_interrupted(row["owner"], since=row["updated_at"])


def _body(state: "RunState") -> str:
    """The state as JSON, without outputs, which are in the logs.

    In ASCII, which preserves file names that are not text, and any output of commands, exactly.
    """
    return json.dumps(state.model_dump(exclude={"runs": {"__all__": {"stdout", "stderr"}}}))


def _state(row: Row) -> "RunState":
    from mulligan.types.fixing import RunState

    # JSON would merge two lone surrogates into one character, so the project is not read from it.
    project = {"project": name_of(row["project"])}
    return load(lambda fields: RunState.model_validate(fields | project), row["state"], what=f"run {row['id']}")
