"""The model server behind the proxy: its address, its models, what is known about them, and how to ask it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress

from mulligan.app.model_selection import ModelSelector
from mulligan.app.ready_models import ReadyModel, api_key_for
from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.waiting import WaitLimit, WaitLimits, first_token_seconds
from mulligan.models.known.discovery import models_at
from mulligan.models.known.metadata import read_metadata
from mulligan.models.known.profiles import Choice, ProfileCache
from mulligan.models.wire.http_client import ModelServer
from mulligan.proxy.model_request import model_request
from mulligan.proxy.stream_chunks import StreamChunk, raw_chunks
from mulligan.runtime.own_secrets import whole_environment
from mulligan.types.errors import ModelError
from mulligan.types.model_io import Finished, Usage, UsageReport
from mulligan.types.profiles import ModelProfile
from mulligan.types.settings import Settings
from mulligan.types.tool_calls import JsonObject

FRESH = 60.0
"""Seconds for which a server's statements about a model hold: it may be restarted with another context."""
METADATA_SECONDS = 3.0


class Upstream:
    def __init__(self, settings: Settings, selector: ModelSelector, choice: Choice, *, model: str | None) -> None:
        """`model`: used whatever a client asks for."""
        self._settings = settings
        self._selector = selector
        self.choice = choice
        self._forced = model
        self.key = None if choice.kind == "embedded" else api_key_for(choice.base_url, settings, whole_environment())
        self._listed: tuple[float, tuple[str, ...]] = (0.0, ())
        self._cache = ProfileCache(settings.home)
        self._known: dict[str, tuple[float, ModelProfile]] = {}
        self._asking: set[asyncio.Task[ModelProfile]] = set()
        self._server: ModelServer | None = None
        if choice.kind not in ("embedded", "anthropic"):
            self._server = ModelServer(
                choice.base_url, self.key, idle_timeout=settings.idle_timeout, connect_timeout=3.0
            )

    @property
    def server(self) -> ModelServer | None:
        """None: it speaks another API than the clients, or has no address."""
        return self._server

    async def models(self) -> tuple[str, ...]:
        if self.choice.kind == "embedded":
            return (self.choice.model,)
        read, names = self._listed
        if not names or time.monotonic() - read > FRESH:
            names = tuple(await models_at(self.choice.base_url, self.choice.kind, self.key))
            self._listed = (time.monotonic(), names)
        return names

    async def model_for(self, wanted: str) -> str:
        """The model that answers: the requested one if it exists, else the chosen one. Agents request names that only
        their own provider has."""
        if self._forced:
            return self._forced
        read, names = self._listed
        if wanted and wanted in names:
            return wanted
        if not read or time.monotonic() - read > FRESH:
            names = await self.models()
        return wanted if wanted in names or not names else self.choice.model

    async def profile(self, model: str) -> ModelProfile | None:
        """What is known about a model. The first call waits for it; later it is refreshed in the background."""
        if self.choice.kind == "embedded":
            return None
        read, known = self._known.get(model, (0.0, None))
        if known and time.monotonic() - read < FRESH:
            return known
        task = asyncio.create_task(self._read_profile(model))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        if known:
            self._known[model] = (time.monotonic(), known)
            return known
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(task), METADATA_SECONDS)
        return None

    def learn_rate(self, model: str, characters: int, usage: Usage) -> None:
        """How many characters a token has, from the server's counts. A truncated prompt teaches nothing."""
        read, known = self._known.get(model, (0.0, None))
        tokens = usage.prompt_tokens
        if known is None or tokens < 200 or (known.truncates_at and tokens > 0.8 * known.truncates_at):
            return
        rate = min(8.0, max(1.0, characters / tokens))
        self._known[model] = (read, known.model_copy(update={"chars_per_token": rate}))

    def native(self, profile: ModelProfile | None) -> bool:
        """Requests can be forwarded unchanged, tools included."""
        if self._server is None or self._settings.protocol not in (None, "native"):
            return False
        return profile is None or profile.native_tools is not False

    def no_native_tools(self, model: str) -> None:
        """The server refuses tools for this model."""
        read, known = self._known.get(model, (time.monotonic(), None))
        known = known or ModelProfile(server=self.choice.base_url, model=model)
        self._known[model] = (read, known.model_copy(update={"native_tools": False}))

    async def stream_raw(self, body: bytes, model: str, key: Mapping[str, str]) -> AsyncGenerator[StreamChunk]:
        """The reply as the server sends it."""
        assert self._server is not None  # noqa: S101 - only called if there is a server
        endpoint = self._server.endpoint("/chat/completions", model)
        idle = self._settings.idle_timeout
        seconds = self._settings.first_token_timeout or max(
            idle, first_token_seconds(int(len(body) / CHARS_PER_TOKEN), None)
        )
        limits = WaitLimits(
            WaitLimit(seconds, "the first token of the reply", "first_token_timeout"),
            WaitLimit(idle, "the next token of the reply", "idle_timeout"),
        )
        async with aclosing(raw_chunks(self._server, endpoint, body, key, limits)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def stream_translated(self, body: JsonObject, model: str) -> AsyncGenerator[StreamChunk]:
        """The reply through our own protocols: constrained, in text, Ollama's own API, Anthropic, the embedded
        model."""
        ready = await self.ready(model)
        async with aclosing(ready.model.stream(model_request(body))) as events:
            async for event in events:
                finish = event.reason if isinstance(event, Finished) else None
                usage = [{"usage": _usage(event.usage)}] if isinstance(event, UsageReport) else []
                yield StreamChunk([] if finish else [event], payloads=usage, finish=finish)

    async def ready(self, model: str) -> ReadyModel:
        name = f"embedded:{self.choice.model}" if self.choice.kind == "embedded" else model
        return await self._selector.ready(name)

    async def aclose(self) -> None:
        for task in self._asking:
            task.cancel()
        if self._server:
            await self._server.aclose()
        await self._selector.close()

    async def _read_profile(self, model: str) -> ModelProfile:
        kept = self._cache.get(self.choice.base_url, model)
        try:
            profile = await read_metadata(self.choice.base_url, model, self.key)
        except ModelError:
            profile = ModelProfile(server=self.choice.base_url, model=model, kind=self.choice.kind)
        if kept:  # keep what probes and turns have shown, and update it from what the server reports now
            now = profile.model_dump(include={"kind", "context_length", "truncates_at"}, exclude_none=True)
            profile = kept.model_copy(update=now)
        before = self._known.get(model, (0.0, None))[1]
        if before and before.native_tools is False:
            profile = profile.model_copy(update={"native_tools": False})
        if before and before.chars_per_token:
            profile = profile.model_copy(update={"chars_per_token": before.chars_per_token})
        self._known[model] = (time.monotonic(), profile)
        return profile


def _usage(usage: Usage) -> JsonObject:
    total = usage.prompt_tokens + usage.completion_tokens
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
