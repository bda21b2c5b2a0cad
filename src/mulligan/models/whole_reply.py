"""One question outside a turn's steps: the whole reply."""

from collections.abc import Callable
from contextlib import aclosing

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.replies import Reply
from mulligan.ports.models import Model
from mulligan.types.model_io import ModelEvent, ModelRequest


async def whole_reply(model: Model, request: ModelRequest, see: Callable[[ModelEvent], None] | None = None) -> Reply:
    """A reply that repeats itself is cut. `see` gets each event as it arrives. Raises `ModelError`."""
    gathered = GatheredReply()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if see:
                see(event)
            gathered.add(event)
            if gathered.repeated:
                break
    return gathered.reply()
