"""Git work trees that sessions and fix runs write to."""

from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import insert, read_row
from mulligan.store.serialization import exact_name, name_of
from mulligan.types.checkpoints import WorkTree


class SqlWorkTreeRepository(SqlRepository):
    """The port `WorkTreeRepository`."""

    async def add(self, *, project: str, path: str, base_commit: str) -> WorkTree:
        made = WorkTree(id=new_id(), project=project, path=path, base_commit=base_commit, created_at=self._clock())
        await insert(
            self._database,
            "worktrees",
            id=made.id,
            project=exact_name(project),
            path=exact_name(path),
            base_commit=base_commit,
            created_at=made.created_at,
        )
        return made

    async def delete(self, worktree_id: str) -> None:
        await self._database.execute("DELETE FROM worktrees WHERE id = :id", id=worktree_id)

    async def list(self, project: str) -> list[WorkTree]:
        rows = await self._database.fetch_all(
            "SELECT * FROM worktrees WHERE project = :project ORDER BY path, id", project=exact_name(project)
        )
        return [read_row(WorkTree, row, project=project, path=name_of(row["path"])) for row in rows]
