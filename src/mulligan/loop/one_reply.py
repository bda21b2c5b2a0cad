"""One question outside of a turn's steps: the whole reply, and what it cost."""

from contextlib import aclosing

from mulligan.ports.models import Model
from mulligan.types.model_io import ModelRequest, Retrying, TextDelta, Usage, UsageReport


async def one_reply(model: Model, request: ModelRequest) -> tuple[str, Usage]:
    """Raises `ModelError`."""
    said: list[str] = []
    used = Usage()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    said.append(text)
                case Retrying():
                    said.clear()
                case UsageReport(usage):
                    used += usage
                case _:
                    pass
    return "".join(said), used
