"""Servers that speak Anthropic's messages API: Anthropic itself, and compatible ones."""

from collections.abc import AsyncGenerator

from mulligan.core.waiting import wait_limits
from mulligan.models.wire.anthropic_reply import MessageReader
from mulligan.models.wire.anthropic_request import request_body
from mulligan.models.wire.event_stream import post
from mulligan.models.wire.http_client import ModelServer
from mulligan.runtime.lenient_json import as_list, as_name, as_object
from mulligan.types.model_io import ModelEvent, ModelRequest

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
LISTING_TIMEOUT = 10.0
MAX_LISTED = 1000


class AnthropicChat:
    """A model behind a messages endpoint. Implements `ports.Model`.

    This API can't constrain a reply to a schema, so `ModelRequest.schema` and `.masked` are not sent.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = BASE_URL,
        api_key: str | None = None,
        idle_timeout: float = 300.0,
        first_token_timeout: float | None = None,
        connect_timeout: float = 3.0,
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used; does not connect yet."""
        self._server = _server(base_url, api_key, idle_timeout=idle_timeout, connect_timeout=connect_timeout)
        self._model = model
        self._endpoint = self._server.endpoint("/v1/messages", model)
        self._first_token_timeout = first_token_timeout

    @property
    def name(self) -> str:
        return self._model

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """The reply as it arrives. Closing the generator closes the connection."""
        idle, first = self._server.idle_timeout, self._first_token_timeout
        limits = wait_limits(request, None, idle_timeout=idle, first_token_timeout=first)
        body = request_body(request, self._model)
        return post(self._server, self._endpoint, body, MessageReader(self._endpoint), limits)

    async def aclose(self) -> None:
        await self._server.aclose()


async def list_models(api_key: str | None = None, *, base_url: str = BASE_URL) -> list[str]:
    """The names of the server's models, newest first. Raises what a reply would raise."""
    server = _server(base_url, api_key, idle_timeout=LISTING_TIMEOUT, connect_timeout=3.0)
    try:
        listing = await server.get_json(f"/v1/models?limit={MAX_LISTED}")
    finally:
        await server.aclose()
    entries = as_list(as_object(listing).get("data"))
    return [name for entry in entries if (name := as_name(as_object(entry).get("id")))]


def _server(base_url: str, api_key: str | None, *, idle_timeout: float, connect_timeout: float) -> ModelServer:
    return ModelServer(
        # Both forms of the address are common.
        base_url.strip().rstrip("/").removesuffix("/v1"),
        api_key,
        idle_timeout=idle_timeout,
        connect_timeout=connect_timeout,
        key_header=lambda key: {"x-api-key": key},
        headers={"anthropic-version": VERSION},
    )
