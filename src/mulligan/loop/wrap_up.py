"""The last call of a stopped turn, without tools: a summary of where things are."""

from collections.abc import Sequence

from mulligan.core.prompts import fallback_reply, wrap_up_note
from mulligan.loop.record import TurnRecord
from mulligan.loop.stream import stream_reply
from mulligan.ports.models import Model
from mulligan.types.errors import ModelError
from mulligan.types.model_io import ModelRequest, Usage, UserText, WireMessage
from mulligan.types.turns import StopReason


async def wrap_up(
    model: Model,
    messages: Sequence[WireMessage],
    record: TurnRecord,
    reason: StopReason,
    *,
    step: int,
    max_tokens: int | None,
    temperature: float | None,
) -> Usage:
    """Write the turn's final text: the model's, or Mulligan's own list if the model has none."""
    request = ModelRequest(
        messages=(*messages, UserText(wrap_up_note(reason))), max_tokens=max_tokens, temperature=temperature
    )
    before = list(record.parts)
    record.begin_step(step, wrap_up=True)
    try:
        reply = await stream_reply(model, request, record)
    except ModelError:
        reply = None
    if not reply or not reply.text.strip():
        record.trim("")
        record.say(fallback_reply(before, reason), by_mulligan=True)
    elif reply.repeated:
        record.trim(reply.worth_keeping())
    await record.save()
    return reply.usage if reply else Usage()
