"""Runs one delegated turn: a checkpoint before it, the agent's events and requests, its changes after it."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from mulligan.app.images import as_attachment
from mulligan.app.project_checkpoints import checkpoint_before_turn
from mulligan.app.session import Session
from mulligan.app.turns import change_emitter, title_of
from mulligan.backends.pool import Lease
from mulligan.core.agent_permissions import judge_request
from mulligan.loop.delegated import Aftermath, ExternalAgentModel, run_delegated_turn
from mulligan.loop.plan import TurnPlan
from mulligan.ports.callbacks import Emit, Notify
from mulligan.ports.commands import Approve
from mulligan.types.agents import AgentEvent, ExternalAgent, PermissionRequest
from mulligan.types.changes import PendingChange
from mulligan.types.checkpoints import AgentSession, WorkTree
from mulligan.types.commands import PolicyVerdict
from mulligan.types.errors import CallRejected, MulliganError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import AttachmentInfo, Chat
from mulligan.types.model_io import SentImage
from mulligan.types.permissions import Permissions
from mulligan.workspace.checkout_watch import CheckoutSnapshot, differences, snapshot_checkout
from mulligan.workspace.files.confined_folders import present_file
from mulligan.workspace.worktrees import ImportedWork, import_work

MAX_FILES_NAMED = 10
"""How many files of a long list to name."""


@dataclass(frozen=True, slots=True)
class TurnCallbacks:
    """Where a delegated turn is shown, and who answers questions."""

    emit: Emit
    tell: Notify
    approve: Approve
    """Asks the user about what the policy leaves to them."""


@dataclass(slots=True)
class DelegatedTurn:
    """One turn: what happens before, while and after the agent works."""

    session: Session
    callbacks: TurnCallbacks
    chat: Chat
    agent: ExternalAgent
    tree: WorkTree
    folder: Path
    """The project's folder inside the work tree."""
    agent_session: AgentSession
    lease: Lease
    goal: str
    images: Sequence[AttachmentInfo] = ()
    """Images to send to the agent."""
    message_id: str = field(default="", init=False)
    checkout: CheckoutSnapshot | None = field(default=None, init=False)
    """Its state before the turn."""

    async def run(self, model: str | None) -> TurnEnd:
        name = self.agent.name
        if self.lease.crashed:
            self.callbacks.tell(f"{name} had ended since its last turn, and starts again: {self.lease.crashed}")
        plan = TurnPlan(
            chat_id=self.chat.id,
            agent=name,
            system="",
            model=ExternalAgentModel(model or name),
            tools=(),
            step_limit=0,
            prepare=self._prepare,
            pending=self._pending,
            attached=tuple(map(as_attachment, self.images)),
        )
        return await run_delegated_turn(
            plan,
            self.goal,
            self._events,
            store=self.session.store.messages,
            emit=self.callbacks.emit,
            log=self.session.log,
            afterwards=self._afterwards,
        )

    async def _prepare(self, message_id: str) -> None:
        self.message_id = message_id
        await self.lease.backend.sweep()  # a process that keeps running would write while the checkpoint is taken
        self.checkout = await self._look()
        self.callbacks.emit(
            await checkpoint_before_turn(
                self.session,
                Path(self.tree.path),
                label=title_of(self.goal),
                chat_id=self.chat.id,
                message_id=message_id,
                session_id=self.agent_session.id,
                worktree_id=self.tree.id,
            )
        )

    async def _events(self) -> AsyncGenerator[AgentEvent, None]:
        session = await self.lease.backend.ensure_session(self.folder, self.agent_session.backend_session)
        await self._keep(session)
        load = self.session.store.images.data
        kept = [SentImage(each.image, await load(each.image.digest) or "") for each in self.images if each.image]
        shown = [each for each in kept if each.data]
        try:
            async with aclosing(self.lease.backend.prompt(session, self.goal, self._permit, shown)) as events:
                async for event in events:
                    yield event
        finally:
            await self._keep(self.lease.backend.session_of(session))

    async def _keep(self, backend_session: str) -> None:
        if backend_session != self.agent_session.backend_session:
            await self.session.store.sessions.set_backend_session(self.agent_session.id, backend_session)
            self.agent_session = replace(self.agent_session, backend_session=backend_session)

    async def _permit(self, request: PermissionRequest) -> bool:
        verdict = await asyncio.to_thread(_judged, request, self.folder, self.session.permissions())
        granted = verdict.decision == "allow"
        shown = request.command or " ".join([request.title, *request.paths])
        if verdict.decision == "ask":
            granted = (await self.callbacks.approve(shown, verdict)).granted
        self.session.log("agent_asked", chat=self.chat.id, asked=shown, verdict=verdict.decision, granted=granted)
        if not granted:
            self.callbacks.tell(f"denied: {shown}: {verdict.reason}")
        return granted

    async def _afterwards(self) -> Aftermath:
        """What the agent left, and where. Nothing here may break the turn: the work is in the work tree anyway."""
        outside: tuple[str, ...] = ()
        try:
            await self.lease.backend.sweep()
            outside = self._outside(await self._look())
            imported = await import_work(
                self.tree,
                self.session.store.changes,
                project=self.chat.project,
                chat_id=self.chat.id,
                message_id=self.message_id,
                leaves_behind=self.agent.leaves_behind,
            )
        except MulliganError as error:
            self.session.log("bring_back_failed", chat=self.chat.id, tree=self.tree.path, error=error)
            words = f"The agent's work was not brought back: {error}. It is in {self.tree.path}."
            return Aftermath(changed=True, notes=(words,), checkout=self.tree.project, outside=outside)
        needed = [change for change in imported.changes if await self._reject_if_present(change)]
        for change in needed:
            change_emitter(self.callbacks.emit)(change)
        return Aftermath(
            changed=bool(imported.changes),
            notes=_left_out(imported, self.agent.name),
            checkout=self.tree.project,
            outside=outside,
        )

    async def _reject_if_present(self, change: PendingChange) -> bool:
        """Skip what the checkout already has: after a restore, changes that were never applied need no undo."""
        try:
            present = await asyncio.to_thread(present_file, Path(change.project), change.path)
        except CallRejected:
            return True
        if present != change.after:
            return True
        return not await self.session.store.changes.set_status(change.id, "rejected", expected="pending")

    async def _look(self) -> CheckoutSnapshot | None:
        try:
            return await snapshot_checkout(Path(self.tree.project))
        except MulliganError as error:
            self.session.log("checkout_not_seen", checkout=self.tree.project, error=error)
            return None

    def _outside(self, now: CheckoutSnapshot | None) -> tuple[str, ...]:
        found = differences(self.checkout, now) if self.checkout and now else ()
        if found:
            self.session.log("written_outside", chat=self.chat.id, checkout=self.tree.project, paths=found)
        return found

    async def _pending(self) -> int:
        changes = await self.session.store.changes.list(self.chat.project, statuses=("pending",), chat_id=self.chat.id)
        return len(changes)


def _judged(request: PermissionRequest, folder: Path, permissions: Permissions) -> PolicyVerdict:
    """Judged by real paths: a link in the work tree may lead out of it."""
    paths = tuple(os.path.realpath(folder / path) for path in request.paths)
    return judge_request(replace(request, paths=paths), folder=os.path.realpath(folder), permissions=permissions)


def _left_out(imported: ImportedWork, agent: str) -> tuple[str, ...]:
    notes: list[str] = []
    if imported.skipped:
        left = _some([f"{apart.path} ({apart.reason})" for apart in imported.skipped])
        notes.append(f"Not brought back, and only in the work tree: {left}.")
    if imported.byproducts:
        notes.append(f"Left in the work tree, since {agent} keeps it for itself: {_some(imported.byproducts)}.")
    return tuple(notes)


def _some(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - MAX_FILES_NAMED} more" if len(names) > MAX_FILES_NAMED else ""
    return ", ".join(names[:MAX_FILES_NAMED]) + more
