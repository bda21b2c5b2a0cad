"""Questions that work waits for, until a user answers on the page."""

import asyncio
import time
from dataclasses import dataclass, field

from mulligan.core.visible_text import in_full, visible
from mulligan.server.frames.envelopes import ApprovalAsked, Ask, AskSettled
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.store.ids import new_id
from mulligan.types.commands import Approval, PolicyVerdict


@dataclass(slots=True)
class ApprovalQueue:
    """The open questions. A question ends with its answer, or with the work that asked it."""

    hub: FrameHub
    _open: dict[str, tuple[Ask, asyncio.Future[Approval]]] = field(
        default_factory=dict[str, tuple[Ask, asyncio.Future[Approval]]]
    )

    async def ask(self, scope: FrameScope, what: str, verdict: PolicyVerdict) -> Approval:
        """Ask, and wait for the answer."""
        ask = Ask(
            id=new_id(),
            project_id=scope.project_id,
            chat_id=scope.chat_id,
            run_id=scope.run_id,
            what=in_full(what),
            reason=visible(verdict.reason),
            is_command=verdict.is_command,
            removes=verdict.removes,
            opens=tuple(sorted(verdict.opens)),
            can_remember="network" in verdict.opens,
            rule=in_full(verdict.rule),
            asked_at=time.time(),
        )
        answer: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._open[ask.id] = (ask, answer)
        self.hub.publish(ApprovalAsked(ask=ask), scope)
        try:
            return await answer
        finally:
            del self._open[ask.id]
            granted = answer.result().granted if answer.done() and not answer.cancelled() else None
            self.hub.publish(AskSettled(ask_id=ask.id, granted=granted), scope)

    def answer(self, ask_id: str, *, granted: bool, reason: str = "") -> Ask | None:
        """The question that this answers; None if it is no longer open: only the first answer counts."""
        if ask_id not in self._open or self._open[ask_id][1].done():
            return None
        ask, answer = self._open[ask_id]
        answer.set_result(Approval(granted, reason))
        return ask

    def open_requests(self, *, chat_id: str | None = None, run_id: str | None = None) -> tuple[Ask, ...]:
        """All, or those of a chat or a run."""
        return tuple(
            ask
            for ask, answer in self._open.values()
            if not answer.done()
            and (chat_id is None or ask.chat_id == chat_id)
            and (run_id is None or ask.run_id == run_id)
        )
