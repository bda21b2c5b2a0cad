"""A turn: one message of the user, answered. Ask, decide, act, record, until there is a reason to stop."""

from collections.abc import Sequence

from mulligan.core.guards import Guards
from mulligan.core.next_move import Continue, Move, Nudge, Pause, ProjectFinding, Stop, Synthesize
from mulligan.core.payload import opening, step_messages
from mulligan.core.provenance import WRITING, only_read
from mulligan.core.replies import Answer, Calls
from mulligan.core.reply_limits import MAX_CALLS
from mulligan.loop.folder_instructions import FolderInstructions
from mulligan.loop.next_reply import next_reply
from mulligan.loop.open_turn import OpenTurn, run_in_turn
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.tool_phase import RanCall, run_tools
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.messages import MessageRepository
from mulligan.types.errors import PromptTooLong
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import UserText
from mulligan.types.sentinels import OnlyReads
from mulligan.types.tool_calls import RejectedCall, Succeeded, ToolCall

OBJECTION = "You were about to end, but a hook of the user says no to that: {said}\nDo what it asks, then answer again."


async def run_turn(
    plan: TurnPlan, prompt: str, *, store: MessageRepository, emit: Emit, log: Log, continues: bool = False
) -> TurnEnd:
    """Answer one message: the model drives, with tools, until it answers or a guard stops it.

    However it ends, its row is finished, the reason recorded and `turn_end` published. Cancellation means that the user
    aborted: the turn is closed as `aborted`, then the cancellation propagates.
    """
    return await run_in_turn(plan, prompt, _take_steps, store=store, emit=emit, log=log, continues=continues)


async def _take_steps(turn: OpenTurn) -> End:
    turn.messages = opening(turn.plan.system, turn.history, turn.plan.replay)
    return await _Steps(turn).run()


class _Steps:
    """The steps of one turn, and the guards' state."""

    def __init__(self, turn: OpenTurn) -> None:
        self._turn = turn
        self._tools = {tool.spec.name: tool for tool in turn.plan.tools if turn.plan.step_limit}
        self._specs = tuple(tool.spec for tool in self._tools.values())
        self._guards = Guards()
        plan = turn.plan
        self._instructions = FolderInstructions(plan.instructions, turn.history) if plan.instructions else None
        self._told_only_reads = False
        self._objected = False

    async def run(self) -> End:
        note: str | None = None
        while True:
            await self._compact_if_full(note or "")
            self._turn.begin_step()
            match await self._ask(note):
                case Answer(text):
                    note = await self._objection(text)
                    if note is None:
                        return End("answered")
                    continue
                case End() as end:
                    return end
                case Calls() as calls:
                    move = await self._act(calls)
            if isinstance(move, Synthesize):
                end = await self._synthesize(move.finding)
                if end:
                    return end
                move = move.otherwise
            match move:
                case Continue():
                    note = None
                case Nudge(note, sentinel):
                    self._guards = self._guards.after_nudge()
                    await self._turn.raise_sentinel(sentinel)
                case Pause(question):
                    return End("paused", question=question)
                case Stop(reason, sentinel):
                    return End(reason, sentinel)

    async def _objection(self, answer: str) -> str | None:
        """The objection of a user's hook to this end of the turn. Only the first objection counts."""
        turn = self._turn
        if turn.end_hooks_ran or turn.plan.at_end is None:
            return None
        await turn.prepared()
        objection = await turn.plan.at_end("answered", answer)
        if not objection or self._objected:
            turn.end_hooks_ran = True
            return None
        self._objected = True
        turn.record.retry(attempt=1, attempts=2, delay=0.0, reason="one of your hooks said no")
        return OBJECTION.format(said=objection)

    async def _ask(self, note: str | None) -> Answer | Calls | End:
        """If a request turns out to be too long for the model, shorten it and send it once more."""
        try:
            return await next_reply(self._turn, tools=self._specs, masked=self._guards.repeated, note=note)
        except PromptTooLong as refused:
            if not await self._compact_if_full(note or ""):
                raise
            self._turn.record.retry(attempt=1, attempts=2, delay=0.0, reason=str(refused))
            return await next_reply(self._turn, tools=self._specs, masked=self._guards.repeated, note=note)

    async def _act(self, wanted: Calls) -> Move:
        """Run what the model asked for and let the guards decide what comes next."""
        turn = self._turn
        if turn.plan.at_end or not only_read(call.name for call in wanted.calls):
            await turn.prepared()  # the user's hooks are commands, even around tools that only read
        budget = turn.plan.budget()
        limit = budget.result_chars if budget else None
        ran = await run_tools(
            wanted,
            self._tools,
            turn.record,
            self._guards,
            step=turn.steps,
            result_limit=limit,
            mask=turn.plan.mask,
            log=turn.log,
            instructions=self._instructions,
        )
        turn.messages.extend(step_messages(turn.record.step, reasoning=turn.plan.replay != "none"))
        await self._note_read_only(ran)
        for each in ran:
            turn.repairs.update(each.call.repairs if isinstance(each.call, ToolCall) else ())
            turn.may_have_changed |= isinstance(each.outcome, Succeeded) and each.outcome.may_have_changed
        # Calls over the limit count as one mistake, however many there are.
        done = [each.done for each in ran[: MAX_CALLS + 1]]
        self._guards = self._guards.after_step(done)
        return self._guards.judge(done, steps=turn.steps, limit=turn.plan.step_limit)

    async def _note_read_only(self, ran: Sequence[RanCall]) -> None:
        """Once per turn, tell the user that the model wanted more than this agent may do."""
        refused = [each.call for each in ran if isinstance(each.call, RejectedCall)]
        denied = [call.name for call in refused if call.kind == "permission_denied" and call.name in WRITING]
        if denied and not self._told_only_reads:
            self._told_only_reads = True
            await self._turn.raise_sentinel(OnlyReads(tool=denied[0], agent=self._turn.plan.agent))

    async def _synthesize(self, finding: ProjectFinding) -> End | None:
        """Have the answer written. None if that failed, and the turn continues."""
        if self._turn.plan.files is None:
            return None
        from mulligan.loop.synthesis import synthesize  # most turns don't need it

        return await synthesize(self._turn, finding, self._turn.plan.files)

    async def _compact_if_full(self, note: str) -> bool:
        """Compact if the context is full, and return whether it did. Nothing else changes messages already sent."""
        turn, budget = self._turn, self._turn.plan.budget()
        if not budget or not budget.is_full([*turn.messages, UserText(note)], self._specs, turn.plan.max_tokens):
            return False
        from mulligan.loop.compact import compact_turn  # most turns don't need it

        made = await compact_turn(turn, self._specs, budget, note)
        if made:
            self._guards = self._guards.after_compaction()
            if self._instructions:
                self._instructions.forget()
        return made
