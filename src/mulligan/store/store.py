"""The store: everything that is kept, behind the ports `Store`, `ChangeStore`, `CheckpointStore` and `RunStore`.

Each method is one transaction.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.ports.runs import KeptRun
from mulligan.ports.store import MessagePage, Swept
from mulligan.store import changes, chats, checkpoints, messages, replies, restores, runs, sessions, sweeper
from mulligan.store.database import Database, open_database
from mulligan.store.migrate import load_migrations, migrate
from mulligan.store.process_owner import this_process
from mulligan.types.changes import ChangeStatus, FileImage, FileWrite, PendingChange
from mulligan.types.checkpoints import (
    AgentSession,
    Checkpoint,
    CheckpointKind,
    Restore,
    RestoreResult,
    SessionStatus,
    WorkTree,
)
from mulligan.types.messages import Chat, Message, Metadata, Part, Role, Status, TurnMeta, UserMeta

if TYPE_CHECKING:  # making its classes takes time at every start, and most commands know no runs
    from mulligan.types.fixing import RunState


async def open_store(address: Path | str, *, clock: Callable[[], float] = time.time) -> "SqlStore":
    """Open, and make or bring up to date, a SQLite file (a path) or a PostgreSQL database (a URL).

    Raises `StoreError` if it fails, `ConfigurationError` if this program is not the one for it.
    """
    database = await open_database(address)
    try:
        await migrate(database, load_migrations(), now=clock())
    except BaseException:
        await database.close()
        raise
    return SqlStore(database, clock=clock)


class SqlStore:
    """All that is kept, as this process sees it. `clock` gives the seconds since the epoch."""

    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._owner = this_process()

    async def create_chat(self, *, project: str, agent: str, title: str, run_id: str | None = None) -> Chat:
        return await chats.create(
            self._database, project=project, agent=agent, title=title, run_id=run_id, now=self._clock()
        )

    async def find_chat(self, prefix: str) -> Chat:
        return await chats.find(self._database, prefix)

    async def list_chats(self, *, project: str | None = None) -> list[Chat]:
        return await chats.list_all(self._database, project=project)

    async def set_agent(self, chat_id: str, agent: str) -> None:
        await chats.set_agent(self._database, chat_id, agent)

    async def messages(self, chat_id: str) -> list[Message]:
        return await messages.of_chat(self._database, chat_id)

    async def message_page(
        self, chat_id: str, *, before: int | None = None, after: int | None = None, limit: int
    ) -> MessagePage:
        return await messages.page_of_chat(self._database, chat_id, before=before, after=after, limit=limit)

    async def newest_turns(self, chat_id: str, count: int) -> list[Message]:
        return await messages.newest_turns(self._database, chat_id, count)

    async def streaming_chats(self) -> frozenset[str]:
        return await messages.streaming_chats(self._database)

    async def refuse_busy(self, chat_id: str) -> None:
        async with self._database.transaction() as queries:
            await replies.refuse_busy(queries, chat_id, owner=self._owner, now=self._clock())

    async def add_message(
        self,
        chat_id: str,
        *,
        role: Role,
        metadata: Metadata,
        parts: Sequence[Part] = (),
        step: int | None = None,
    ) -> Message:
        async with self._database.transaction() as queries:
            return await messages.append(
                queries,
                chat_id,
                role=role,
                status="complete",
                metadata=metadata,
                parts=parts,
                step=step,
                now=self._clock(),
            )

    async def open_turn(self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta) -> Message:
        async with self._database.transaction() as queries:
            return await replies.open_turn(queries, chat_id, prompt, user, turn, owner=self._owner, now=self._clock())

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        async with self._database.transaction() as queries:
            return await replies.open_reply(queries, chat_id, turn, owner=self._owner, now=self._clock())

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        async with self._database.transaction() as queries:
            await replies.save_parts(queries, message_id, first, parts, now=self._clock())

    async def beat(self, message_id: str) -> None:
        await replies.beat(self._database, message_id, now=self._clock())

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        await replies.close_reply(self._database, message_id, status, metadata)

    async def sweep(self) -> list[Swept]:
        return await sweeper.sweep(self._database, host=self._owner.host, now=self._clock())

    async def add_change(
        self,
        *,
        project: str,
        path: str,
        before: FileImage | None,
        after: FileImage | None,
        chat_id: str | None = None,
        message_id: str | None = None,
    ) -> PendingChange:
        async with self._database.transaction() as queries:
            return await changes.add(
                queries,
                project=project,
                path=path,
                before=before,
                after=after,
                chat_id=chat_id,
                message_id=message_id,
                now=self._clock(),
            )

    async def find_change(self, project: str, prefix: str) -> PendingChange:
        return await changes.find(self._database, project, prefix)

    async def changes(
        self, project: str, *, statuses: Sequence[ChangeStatus] = (), chat_id: str | None = None
    ) -> list[PendingChange]:
        return await changes.of_project(self._database, project, statuses=statuses, chat_id=chat_id)

    async def set_change_status(self, change_id: str, status: ChangeStatus, *, expected: ChangeStatus) -> bool:
        return await changes.set_status(self._database, change_id, status, expected=expected, now=self._clock())

    async def begin_write(self, change_id: str, write: FileWrite, *, expected: ChangeStatus) -> bool:
        return await changes.begin_write(
            self._database, change_id, write, expected=expected, owner=self._owner, now=self._clock()
        )

    async def end_write(self, change_id: str, status: ChangeStatus) -> None:
        async with self._database.transaction() as queries:
            await changes.end_write(queries, change_id, status, owner=self._owner, now=self._clock())

    async def left_writes(self, project: str) -> list[PendingChange]:
        return await changes.left_writes(self._database, project, host=self._owner.host, now=self._clock())

    async def add_checkpoint(
        self,
        checkpoint_id: str,
        *,
        root: str,
        commit: str,
        label: str,
        kind: CheckpointKind,
        chat_id: str | None = None,
        session_id: str | None = None,
        worktree_id: str | None = None,
        message_id: str | None = None,
    ) -> Checkpoint:
        async with self._database.transaction() as queries:
            return await checkpoints.add(
                queries,
                checkpoint_id,
                root=root,
                commit=commit,
                label=label,
                kind=kind,
                chat_id=chat_id,
                session_id=session_id,
                worktree_id=worktree_id,
                message_id=message_id,
                now=self._clock(),
            )

    async def find_checkpoint(self, root: str, prefix: str) -> Checkpoint:
        return await checkpoints.find(self._database, root, prefix)

    async def checkpoints(self, *, root: str | None = None, chat_id: str | None = None) -> list[Checkpoint]:
        return await checkpoints.listed(self._database, root=root, chat_id=chat_id)

    async def drop_checkpoints(self, ids: Sequence[str]) -> list[str]:
        async with self._database.transaction() as queries:
            return await checkpoints.drop(queries, ids)

    async def begin_restore(self, root: str, checkpoint_id: str, safety_id: str) -> Restore:
        async with self._database.transaction() as queries:
            return await restores.begin(queries, root, checkpoint_id, safety_id, owner=self._owner, now=self._clock())

    async def end_restore(self, restore_id: str) -> RestoreResult:
        async with self._database.transaction() as queries:
            return await restores.end(queries, restore_id, now=self._clock())

    async def messages_to_go(self, checkpoint: Checkpoint) -> int:
        async with self._database.transaction() as queries:
            return await restores.messages_to_go(queries, checkpoint.root, checkpoint.id)

    async def abandon_restore(self, restore_id: str) -> None:
        await restores.abandon(self._database, restore_id)

    async def left_restores(self, root: str) -> list[Restore]:
        return await restores.left(self._database, root, host=self._owner.host, now=self._clock())

    async def open_session(self, *, chat_id: str, agent: str, worktree_id: str | None) -> AgentSession:
        async with self._database.transaction() as queries:
            return await sessions.open_session(
                queries, chat_id=chat_id, agent=agent, worktree_id=worktree_id, now=self._clock()
            )

    async def set_session_status(self, session_id: str, status: SessionStatus) -> None:
        await sessions.set_status(self._database, session_id, status, now=self._clock())

    async def set_backend_session(self, session_id: str, backend_session: str) -> None:
        await sessions.set_backend_session(self._database, session_id, backend_session, now=self._clock())

    async def find_session(self, prefix: str) -> AgentSession:
        return await sessions.find(self._database, prefix)

    async def sessions(self, *, chat_id: str) -> list[AgentSession]:
        return await sessions.of_chat(self._database, chat_id)

    async def add_worktree(self, *, project: str, path: str, base_commit: str) -> WorkTree:
        return await sessions.add_worktree(
            self._database, project=project, path=path, base_commit=base_commit, now=self._clock()
        )

    async def worktrees(self, project: str) -> list[WorkTree]:
        return await sessions.worktrees_of(self._database, project)

    async def drop_worktree(self, worktree_id: str) -> None:
        await sessions.drop_worktree(self._database, worktree_id)

    async def add_run(self, state: "RunState") -> None:
        async with self._database.transaction() as queries:
            await runs.add(queries, state, owner=self._owner, now=self._clock())

    async def save_run(self, state: "RunState") -> None:
        await runs.save(self._database, state, owner=self._owner, now=self._clock())

    async def claim_run(self, run_id: str) -> "RunState":
        async with self._database.transaction() as queries:
            return await runs.claim(queries, run_id, owner=self._owner, now=self._clock())

    async def release_run(self, run_id: str) -> None:
        await runs.release(self._database, run_id, owner=self._owner)

    async def find_run(self, project: str, prefix: str) -> KeptRun:
        return await runs.find(self._database, project, prefix, host=self._owner.host, now=self._clock())

    async def runs(self, project: str) -> list[KeptRun]:
        return await runs.of_project(self._database, project, host=self._owner.host, now=self._clock())

    async def close(self) -> None:
        await self._database.close()
