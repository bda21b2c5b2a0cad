"""Sends a conversation's images to a model, or text in place of them."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from mulligan.core.images import image_words
from mulligan.models.wire.server_errors import server_message
from mulligan.ports.models import Model
from mulligan.types.errors import ModelError, ModelOverloaded, ModelRejected
from mulligan.types.model_io import ModelEvent, ModelRequest, SentImage, UserText, WireMessage

NOT_SHOWN = "[There was an image here ({}). You can't see it: {}.]"
_REFUSED = re.compile(r"image|vision|multi-?modal|mmproj", re.IGNORECASE)
_ALTOGETHER = re.compile(r"support|not a multi|mmproj|text[ -]only", re.IGNORECASE)
"""If a server says this, it means all images, not this one."""


class WithImages:
    """Wraps a model. Implements `ports.Model`."""

    def __init__(
        self,
        model: Model,
        *,
        load: Callable[[str], Awaitable[str | None]],
        takes: Callable[[], bool],
        tell: Callable[[str], None],
        on_refused: Callable[[], None],
    ) -> None:
        """`load` returns the bytes of an image by its digest, as base64. If the model accepts none, images of earlier
        messages become text, and the user gets a notice."""
        self._model = model
        self._load = load
        self._takes = takes
        self._tell = tell
        self._on_refused = on_refused
        self._loaded: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        shown = any(isinstance(each, UserText) and each.images for each in request.messages)
        if shown:
            request = replace(request, messages=tuple([await self._filled(each) for each in request.messages]))
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    yield event
        except (ModelRejected, ModelOverloaded) as error:
            if shown and self._takes() and _refuses_images(error):
                self._on_refused()
                raise ModelRejected(f"{error} So {self.name} accepts no images here: ask another model.") from error
            raise

    async def _filled(self, message: WireMessage) -> WireMessage:
        if not isinstance(message, UserText) or not message.images:
            return message
        if not self._takes():
            self._tell(f"{self.name} accepts no images: those of earlier messages are only named to it.")
            return _in_words(message, message.images, "your model takes no images")
        filled = [replace(each, data=await self._data(each.about.digest)) for each in message.images]
        lost = [each for each in filled if not each.data]
        sent = replace(message, images=tuple(each for each in filled if each.data))
        return _in_words(sent, lost, "it is not kept any more", keep=True) if lost else sent

    async def _data(self, digest: str) -> str:
        if digest not in self._loaded:
            self._loaded[digest] = await self._load(digest) or ""
        return self._loaded[digest]


def _in_words(
    message: UserText, images: "tuple[SentImage, ...] | list[SentImage]", why: str, *, keep: bool = False
) -> UserText:
    words = [NOT_SHOWN.format(image_words(each.about), why) for each in images]
    return UserText("\n\n".join([*words, message.text]), message.images if keep else ())


def _refuses_images(error: ModelError) -> bool:
    message = server_message(error)
    return bool(_REFUSED.search(message) and _ALTOGETHER.search(message))
