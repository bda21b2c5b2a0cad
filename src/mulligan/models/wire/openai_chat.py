"""Servers that speak OpenAI's chat completions: llama.cpp, Ollama, vLLM, LM Studio and many more."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager

from mulligan.core.prompt_cache import slot_for
from mulligan.core.waiting import WaitLimits, wait_limits
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.chat_request import request_body
from mulligan.models.wire.event_stream import read_events, read_payload
from mulligan.models.wire.http_client import ModelServer, media_type, read_refusal, require_success
from mulligan.models.wire.http_exchange import HttpResponse
from mulligan.models.wire.server_errors import error_for_status
from mulligan.runtime.lenient_json import as_list, as_name, as_object
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject

LISTING_TIMEOUT = 10.0


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
        """Raises `ConfigurationError` for an address or a key that can't be used; does not connect yet.

        `known` returns what is known about the model so far.
        """
        self._server = ModelServer(base_url, api_key, idle_timeout=idle_timeout, connect_timeout=connect_timeout)
        self._model = model
        self._endpoint = self._server.endpoint("/chat/completions", model)
        self._include_usage = True
        self._first_token_timeout = first_token_timeout
        self._known = known
        self._refused: set[str] = set()
        """llama.cpp's own fields that this server refused."""
        self._slots: list[int | None] = []
        """The number of slots as known at the first request. Learning it later must not move a chat to another slot."""
        self._busy_slots: set[int] = set()

    @property
    def name(self) -> str:
        return self._model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply as it arrives. Closing the generator closes the connection."""
        limits = wait_limits(
            request,
            self._known(),
            idle_timeout=self._server.idle_timeout,
            first_token_timeout=self._first_token_timeout,
        )
        fields = self._llama_fields(request)
        slot = fields.get("id_slot")
        with self._server.translating(self._endpoint), self._using_slot(slot):
            response = await self._ask(request, limits, fields)
            try:
                whole = media_type(response) == "application/json"
                async with aclosing(self._whole(response) if whole else self._live(response, limits)) as events:
                    async for event in events:
                        yield event
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _ask(self, request: ModelRequest, limits: WaitLimits, fields: JsonObject) -> HttpResponse:
        """Send the request and wait for a response that promises a reply."""
        sent = {name: value for name, value in fields.items() if name not in self._refused}
        body = request_body(request, self._model, include_usage=self._include_usage, extra=sent)
        response = await self._server.send("POST", self._endpoint, body, limit=limits.first)
        if response.status_code not in (400, 422):
            await require_success(response, self._endpoint)
            return response
        refusal = await read_refusal(response)
        refused = {name for name in sent if name.encode() in refusal}
        if self._include_usage and b"stream_options" in refusal:
            self._include_usage = False
        elif refused:
            self._refused |= refused
        else:
            raise error_for_status(response.status_code, response.headers, refusal, self._endpoint)
        return await self._ask(request, limits, fields)

    def _llama_fields(self, request: ModelRequest) -> JsonObject:
        """Options that only llama.cpp knows. It reports prompt progress after each batch, which is also when it notices
        a disconnected client: an abort takes effect in a second or two instead of half a minute."""
        profile = self._known()
        self._slots = self._slots or [profile.slots if profile else None]
        if profile is None or profile.kind not in ("llama.cpp", "embedded"):
            return {}
        slot = slot_for(request, self._slots[0], self._busy_slots)
        return {"return_progress": True, "cache_prompt": True, **({} if slot is None else {"id_slot": slot})}

    @contextmanager
    def _using_slot(self, slot: int | None) -> Generator[None]:
        """Keeps other requests of this process from waiting for the slot."""
        if slot is not None:
            self._busy_slots.add(slot)
        try:
            yield
        finally:
            self._busy_slots.discard(slot if slot is not None else -1)

    def _live(self, response: HttpResponse, limits: WaitLimits) -> AsyncGenerator[ModelEvent]:
        return read_events(response, ReplyReader(self._endpoint), self._endpoint, limits)

    async def _whole(self, response: HttpResponse) -> AsyncGenerator[ModelEvent]:
        """The reply of a server that does not stream."""
        reader = ReplyReader(self._endpoint)
        payload = await self._server.read_json(response, self._endpoint)
        for event in [*read_payload(reader, payload), *reader.close()]:
            yield event


async def list_models(base_url: str, api_key: str | None = None) -> list[str]:
    """The names of the server's models. Raises what a reply would raise."""
    server = ModelServer(base_url, api_key, idle_timeout=LISTING_TIMEOUT, connect_timeout=3.0)
    try:
        listing = await server.get_json("/models")
    finally:
        await server.aclose()
    # Some servers return the bare list.
    entries = as_list(as_object(listing).get("data")) or as_list(listing)
    return [name for entry in entries if (name := as_name(as_object(entry).get("id")))]
