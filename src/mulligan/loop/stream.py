"""One request to the model and the reply as it streams: recorded, watched for repetition, gathered."""

from contextlib import aclosing

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.replies import Reply
from mulligan.loop.record import TurnRecord
from mulligan.ports.models import Model
from mulligan.types.model_io import ModelRequest, PromptProgress, ReasoningDelta, Retrying, TextDelta, TextWasReasoning


async def stream_reply(model: Model, request: ModelRequest, record: TurnRecord) -> Reply:
    """Ask once. Raises `ModelError`; closing the stream early makes the server stop writing."""
    gathered = GatheredReply()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case PromptProgress():
                    record.reading(event)
                case TextDelta(text):
                    record.say(text)
                case ReasoningDelta(text):
                    record.think(text)
                case TextWasReasoning(text):
                    record.trim("")
                    record.think(text)
                case Retrying(attempt, attempts, delay, reason):
                    record.retry(attempt=attempt, attempts=attempts, delay=delay, reason=reason)
                case _:
                    pass
            gathered.add(event)
            if gathered.repeated:
                break
            await record.save_if_due()
    return gathered.reply()
