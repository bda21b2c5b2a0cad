"""Asks the model for its next reply. An unusable one gets one second chance."""

from collections.abc import Sequence

from mulligan.core.replies import ASK_AGAIN, WHY_AGAIN, Answer, Calls, Reply, Unusable, read_reply
from mulligan.loop.open_turn import OpenTurn
from mulligan.loop.plan import End
from mulligan.loop.stream import stream_reply
from mulligan.types.errors import ModelRejected
from mulligan.types.model_io import ModelRequest, UserText
from mulligan.types.sentinels import DoomLoop, EmptyReply, OnlyAnnounced, ReplyCut
from mulligan.types.tool_calls import ToolSpec


async def next_reply(
    turn: OpenTurn,
    *,
    tools: Sequence[ToolSpec] = (),
    masked: frozenset[str] = frozenset(),
    note: str | None = None,
) -> Answer | Calls | End:
    """The model's reply to the turn's messages, or why the turn ends. Raises `ModelError`.

    Only this request carries the note. Masked tools are not offered, where the model's protocol can enforce that.
    """
    reply = await _ask(turn, tools, masked, note)
    read = read_reply(reply, tools_offered=bool(tools), owes_change=not turn.reminded and turn.owes_change())
    if not isinstance(read, Unusable):
        return read
    turn.reminded = turn.reminded or read.trouble == "nothing_done"
    if reply.repeated:
        await turn.raise_sentinel(ReplyCut(repeated=reply.repeated.unit[:200], count=reply.repeated.count))
    turn.record.retry(attempt=1, attempts=2, delay=0.0, reason=WHY_AGAIN[read.trouble])
    in_circles = read.trouble == "repeated"
    reply = await _ask(
        turn,
        tools,
        masked,
        ASK_AGAIN[read.trouble],
        after_repetition=in_circles,
        answer_now=in_circles and not reply.text.strip() and not reply.calls,
    )
    read = read_reply(reply, tools_offered=bool(tools))
    return _give_up(turn, read, reply) if isinstance(read, Unusable) else read


async def _ask(
    turn: OpenTurn,
    tools: Sequence[ToolSpec],
    masked: frozenset[str],
    note: str | None,
    *,
    after_repetition: bool = False,
    answer_now: bool = False,
) -> Reply:
    trailing = (UserText(note),) if note else ()
    request = ModelRequest(
        messages=(*turn.messages, *trailing),
        tools=tuple(tools),
        masked=masked,
        max_tokens=turn.plan.max_tokens,
        temperature=turn.plan.temperature,
        after_repetition=after_repetition,
        answer_now=answer_now,
    )
    reply = await stream_reply(turn.plan.model, request, turn.record)
    turn.answered(reply.usage, request)
    return reply


def _give_up(turn: OpenTurn, read: Unusable, reply: Reply) -> End:
    match read.trouble:
        case "empty":
            return End("empty_reply", EmptyReply(count=2))
        case "repeated":
            turn.record.trim(reply.worth_keeping())
            return End("doom_loop", DoomLoop(tools=(), cycle=0, count=2))
        case "nothing_done":
            return End("answered")
        case "announced":
            return End("answered", OnlyAnnounced())
        case "too_long":
            raise ModelRejected(
                "the reply was cut off at the token limit twice; "
                "give the server a larger context or reply limit, or ask for less"
            )
