"""A turn: one message of a person, answered. Ask, decide, act, record, until there is a reason to stop."""

from mulligan.core.context_budget import hide_old_results
from mulligan.core.guards import Guards
from mulligan.core.next_move import GoOn, Move, Nudge, Pause, Stop
from mulligan.core.payload import opening, step_messages
from mulligan.core.replies import Answer, Calls
from mulligan.loop.asking import next_reply
from mulligan.loop.open_turn import OpenTurn, carry_out
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.tool_phase import run_tools
from mulligan.ports import Emit, Log, Store
from mulligan.types.frames import TurnEnd
from mulligan.types.tool_calls import ToolCall


async def run_turn(
    plan: TurnPlan, prompt: str, *, store: Store, emit: Emit, log: Log, continues: bool = False
) -> TurnEnd:
    """Answer one message: the model drives, with tools, until it answers or a guard stops it.

    However it ends, its row is finished, the reason recorded and `turn_end` published. Being cancelled is a person's
    abort: the turn is closed as `aborted`, then the cancel goes on up.
    """
    return await carry_out(plan, prompt, _take_steps, store=store, emit=emit, log=log, continues=continues)


async def _take_steps(turn: OpenTurn) -> End:
    turn.messages = opening(turn.plan.system, turn.history)
    return await _Steps(turn).run()


class _Steps:
    """The steps of one turn, and what the guards remember of them."""

    def __init__(self, turn: OpenTurn) -> None:
        self._turn = turn
        self._tools = {tool.spec.name: tool for tool in turn.plan.tools if turn.plan.step_limit}
        self._specs = tuple(tool.spec for tool in self._tools.values())
        self._guards = Guards()

    async def run(self) -> End:
        note: str | None = None
        while True:
            self._make_room()
            self._turn.begin_step()
            match await next_reply(self._turn, tools=self._specs, masked=self._guards.repeated, note=note):
                case Answer():
                    return End("answered")
                case End() as end:
                    return end
                case Calls() as calls:
                    move = await self._act(calls)
            match move:
                case GoOn():
                    note = None
                case Nudge(note, sentinel):
                    self._guards = self._guards.after_nudge()
                    await self._turn.raise_sentinel(sentinel)
                case Pause(question):
                    return End("paused", question=question)
                case Stop(reason, sentinel):
                    return End(reason, sentinel)

    async def _act(self, wanted: Calls) -> Move:
        """Run what the model asked for and let the guards decide what comes next."""
        turn = self._turn
        budget = turn.plan.budget()
        limit = budget.result_chars if budget else None
        ran = await run_tools(
            wanted, self._tools, turn.record, self._guards, step=turn.steps, result_limit=limit, log=turn.log
        )
        turn.messages.extend(step_messages(turn.record.step))
        for each in ran:
            turn.repairs.update(each.call.repairs if isinstance(each.call, ToolCall) else ())
        done = [each.done for each in ran]
        self._guards = self._guards.after_step(done)
        return self._guards.judge(done, steps=turn.steps, limit=turn.plan.step_limit)

    def _make_room(self) -> None:
        """Hide old results when the context gets full: the one thing that changes what was sent before."""
        turn, budget = self._turn, self._turn.plan.budget()
        hidden = hide_old_results(turn.messages, self._specs, budget) if budget else None
        if hidden:
            turn.messages = hidden
            turn.log("results_hidden", chat=turn.plan.chat_id, step=turn.steps)
