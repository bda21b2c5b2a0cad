"""Servers that speak OpenAI's chat completions: llama.cpp, Ollama, vLLM, LM Studio and many more."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from mulligan.core.waiting import WaitLimits, wait_limits
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.chat_request import request_body
from mulligan.models.wire.event_stream import read_events, read_payload
from mulligan.models.wire.http_client import ModelServer, media_type, read_refusal, require_success
from mulligan.models.wire.server_errors import error_for_status
from mulligan.runtime.lenient_json import as_list, as_name, as_object
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile

if TYPE_CHECKING:
    import httpx2

LISTING_TIMEOUT = 10.0
TELL_WHILE_READING = {"return_progress": True}
"""llama.cpp tells after each batch how far it has read the prompt. By this it notices that a client has left, too: an
abort takes effect in a second or two instead of half a minute."""


class OpenAIChat:
    """A model behind a chat completions endpoint. Implements `ports.Model`."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        idle_timeout: float = 300.0,
        first_token_timeout: float | None = None,
        connect_timeout: float = 3.0,
        known: Callable[[], ModelProfile | None] = lambda: None,
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used; connects to nothing yet.

        `known` tells what is known of the model by now.
        """
        self._server = ModelServer(base_url, api_key, idle_timeout=idle_timeout, connect_timeout=connect_timeout)
        self._model = model
        self._endpoint = self._server.endpoint("/chat/completions", model)
        self._include_usage = True
        self._first_token_timeout = first_token_timeout
        self._known = known
        self._refuses_progress = False

    @property
    def name(self) -> str:
        return self._model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply as it comes. Closing the generator closes the connection."""
        limits = wait_limits(
            request,
            self._known(),
            idle_timeout=self._server.idle_timeout,
            first_token_timeout=self._first_token_timeout,
        )
        with self._server.translating(self._endpoint):
            response = await self._ask(request, limits)
            try:
                whole = media_type(response) == "application/json"
                async with aclosing(self._whole(response) if whole else self._live(response, limits)) as events:
                    async for event in events:
                        yield event
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _ask(self, request: ModelRequest, limits: WaitLimits) -> "httpx2.Response":
        """Send the request and wait for an answer that promises a reply."""
        progress = TELL_WHILE_READING if self._tells_progress() else None
        body = request_body(request, self._model, include_usage=self._include_usage, extra=progress)
        response = await self._server.send("POST", self._endpoint, body, limit=limits.first)
        if response.status_code not in (400, 422):
            await require_success(response, self._endpoint)
            return response
        refusal = await read_refusal(response)
        if self._include_usage and b"stream_options" in refusal:
            self._include_usage = False
            return await self._ask(request, limits)
        if progress and b"return_progress" in refusal:
            self._refuses_progress = True
            return await self._ask(request, limits)
        raise error_for_status(response.status_code, response.headers, refusal, self._endpoint)

    def _tells_progress(self) -> bool:
        profile = self._known()
        return profile is not None and profile.kind in ("llama.cpp", "embedded") and not self._refuses_progress

    def _live(self, response: "httpx2.Response", limits: WaitLimits) -> AsyncGenerator[ModelEvent]:
        return read_events(response, ReplyReader(self._endpoint), self._endpoint, limits)

    async def _whole(self, response: "httpx2.Response") -> AsyncGenerator[ModelEvent]:
        """The reply of a server that does not stream."""
        reader = ReplyReader(self._endpoint)
        payload = await self._server.read_json(response, self._endpoint)
        for event in [*read_payload(reader, payload), *reader.close()]:
            yield event


async def list_models(base_url: str, api_key: str | None = None) -> list[str]:
    """The names of the models that the server offers. Raises what a reply would raise."""
    server = ModelServer(base_url, api_key, idle_timeout=LISTING_TIMEOUT, connect_timeout=3.0)
    try:
        listing = await server.get_json("/models")
    finally:
        await server.aclose()
    # Some servers answer with the bare list.
    entries = as_list(as_object(listing).get("data")) or as_list(listing)
    return [name for entry in entries if (name := as_name(as_object(entry).get("id")))]
