"""What a model server reports about itself, and which server it is. Never calls a model."""

import asyncio
from types import TracebackType
from typing import Any, Self

from mulligan.models.wire.chat_request import compact_json
from mulligan.models.wire.http_client import ModelServer, require_success
from mulligan.runtime.awake_timeout import awake_timeout
from mulligan.runtime.lenient_json import as_list, as_name, as_object, as_text
from mulligan.types.errors import ModelError
from mulligan.types.profiles import ServerKind

_FAR_OFF = 60.0
"""Seconds. The HTTP client's own time limits must not expire before ours."""


class ServerFacts:
    """Asks one server for small JSON answers. An answer that is late or not JSON is None."""

    def __init__(self, base_url: str, api_key: str | None = None, *, answer_timeout: float) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used."""
        root = base_url.strip().rstrip("/").removesuffix("/v1")
        self._server = ModelServer(root, api_key, idle_timeout=_FAR_OFF, connect_timeout=_FAR_OFF)
        self._answer_timeout = answer_timeout
        self._answers: dict[str, Any] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.aclose()

    async def get(self, path: str) -> Any:
        """The answer to a GET; asked only once."""
        if path not in self._answers:
            self._answers[path] = await self._ask("GET", path)
        return self._answers[path]

    async def post(self, path: str, body: Any) -> Any:
        return await self._ask("POST", path, compact_json(body).encode())

    async def kind(self) -> ServerKind | None:
        """Which server it is; None if it is not a model server."""
        paths = ("/api/version", "/api/tags", "/props", "/api/v0/models", "/version", "/v1/models")
        return identify_server(dict(zip(paths, await asyncio.gather(*map(self.get, paths)), strict=True)))

    async def _ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        endpoint = self._server.endpoint(path)
        try:
            async with awake_timeout(self._answer_timeout):
                with self._server.translating(endpoint):
                    response = await self._server.send(method, endpoint, body)
                    await require_success(response, endpoint)
                    return await self._server.read_json(response, endpoint)
        except (ModelError, TimeoutError):
            return None


def identify_server(answers: dict[str, Any]) -> ServerKind | None:
    """Which server gives these answers. Each kind serves something under that path that no other does."""
    by_path = {path: as_object(answer) for path, answer in answers.items()}
    if by_path["/api/version"].get("version") and "models" in by_path["/api/tags"]:
        return "ollama"
    if "default_generation_settings" in by_path["/props"] or "build_info" in by_path["/props"]:
        return "llama.cpp"
    if isinstance(by_path["/api/v0/models"].get("data"), list):
        return "lmstudio"
    listed = listed_models(answers["/v1/models"])
    if by_path["/version"].get("version") and any(as_text(entry.get("owned_by")) == "vllm" for entry in listed):
        return "vllm"
    return "openai" if listed else None


def listed_models(listing: Any) -> list[dict[str, Any]]:
    """The entries of `/v1/models` that name a model."""
    return [entry for entry in map(as_object, as_list(as_object(listing).get("data"))) if as_name(entry.get("id"))]
