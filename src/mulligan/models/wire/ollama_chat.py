"""Ollama's own chat API: unlike its `/v1`, it accepts a context length, how long the model stays loaded, and all
sampling options. Its replies are parsed as chat completions in another format."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

from mulligan.core.roles import alternating
from mulligan.core.waiting import wait_limits
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.chat_request import compact_json, wire_tools
from mulligan.models.wire.event_stream import post
from mulligan.models.wire.http_client import ModelServer
from mulligan.models.wire.server_errors import Endpoint
from mulligan.runtime.lenient_json import as_list, as_object, as_text
from mulligan.types.model_io import (
    AssistantReply,
    ModelEvent,
    ModelRequest,
    SystemText,
    ToolReply,
    UserText,
    WireMessage,
)
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject

KEEP_ALIVE = "30m"
"""Keeps the model loaded while a test runs or a user thinks. Ollama's default of 5 minutes is too short."""
_SAMPLING = {
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "presence_penalty": "presence_penalty",
    "repetition_penalty": "repeat_penalty",
}


class OllamaChat:
    """A model behind Ollama's `/api/chat`. Implements `ports.Model`."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        num_ctx: int | None = None,
        keep_alive: str = KEEP_ALIVE,
        api_key: str | None = None,
        idle_timeout: float = 300.0,
        first_token_timeout: float | None = None,
        connect_timeout: float = 3.0,
        known: Callable[[], ModelProfile | None] = lambda: None,
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used; does not connect yet.

        `num_ctx` is the context to load the model with; None leaves it to the server.
        """
        root = base_url.strip().rstrip("/").removesuffix("/v1")
        self._server = ModelServer(root, api_key, idle_timeout=idle_timeout, connect_timeout=connect_timeout)
        self._model = model
        self._num_ctx = num_ctx
        self._keep_alive = keep_alive
        self._endpoint = self._server.endpoint("/api/chat", model)
        self._first_token_timeout = first_token_timeout
        self._known = known

    @property
    def name(self) -> str:
        return self._model

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """The reply as it arrives. Closing the generator closes the connection."""
        idle, first = self._server.idle_timeout, self._first_token_timeout
        limits = wait_limits(request, self._known(), idle_timeout=idle, first_token_timeout=first)
        body = request_body(request, self._model, num_ctx=self._num_ctx, keep_alive=self._keep_alive)
        return post(self._server, self._endpoint, body, OllamaReader(self._endpoint), limits)

    async def aclose(self) -> None:
        await self._server.aclose()


def request_body(request: ModelRequest, model: str, *, num_ctx: int | None, keep_alive: str) -> bytes:
    """The body to post. Keys have a fixed order; the same request always gives the same bytes."""
    body: JsonObject = {"model": model, "stream": True, "keep_alive": keep_alive}
    if request.tools:
        body["tools"] = wire_tools(request.tools)
    think = _think(request.options)
    if think is not None:
        body["think"] = think
    if request.schema is not None:
        body["format"] = request.schema
    sampling = {name: request.options[sent] for sent, name in _SAMPLING.items() if sent in request.options}
    options: JsonObject = {
        "num_ctx": num_ctx,
        "num_predict": request.max_tokens,
        "temperature": request.temperature,
        **sampling,
    }
    body["options"] = {name: value for name, value in options.items() if value is not None}
    body["messages"] = [_message(message) for message in alternating(request.messages)]
    return compact_json(body).encode("utf-8", "replace")


def _think(options: JsonObject) -> bool | str | None:
    """Whether the model should think, from the fields that other servers use for it."""
    effort = options.get("reasoning_effort")
    if effort:
        return False if effort == "none" else effort
    template = as_object(options.get("chat_template_kwargs"))
    return next((bool(template[name]) for name in ("enable_thinking", "thinking") if name in template), None)


def _message(message: WireMessage) -> JsonObject:
    """Unlike in chat completions, arguments are an object, and a result names its tool."""
    match message:
        case SystemText(text):
            return {"role": "system", "content": text}
        case UserText(text, images):
            shown = [each.data for each in images]
            return {"role": "user", "content": text, **({"images": shown} if shown else {})}
        case AssistantReply(text, calls, reasoning):
            sent = [{"id": call.id, "function": {"name": call.name, "arguments": call.arguments}} for call in calls]
            thought = {"thinking": reasoning} if reasoning else {}
            return {"role": "assistant", "content": text, **thought, **({"tool_calls": sent} if sent else {})}
        case ToolReply(call_id, name, text):
            return {"role": "tool", "tool_name": name, "tool_call_id": call_id, "content": text}


class OllamaReader:
    """Parses the lines of one reply."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._reader = ReplyReader(endpoint)
        self._calls = 0

    @property
    def finish_reason(self) -> str | None:
        return self._reader.finish_reason

    @property
    def moved(self) -> bool:
        return self._reader.moved

    def read(self, payload: Any) -> list[ModelEvent]:
        """The events of one line. Raises `ModelError` if the server reports one in it."""
        return self._reader.read(self._as_completion(as_object(payload)))

    def close(self) -> list[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is complete."""
        return self._reader.close()

    def _as_completion(self, line: JsonObject) -> JsonObject:
        message = as_object(line.get("message"))
        calls: list[JsonObject] = []
        for call in map(as_object, as_list(message.get("tool_calls"))):
            # Each call arrives complete. Its index is missing in older versions, and 0 for every call in some.
            calls.append({**call, "index": self._calls})
            self._calls += 1
        delta = {"content": message.get("content"), "reasoning": message.get("thinking"), "tool_calls": calls}
        done = line.get("done") is True
        reason = (as_text(line.get("done_reason")) or "stop") if done else None
        counts = {"prompt_tokens": line.get("prompt_eval_count"), "completion_tokens": line.get("eval_count")}
        usage = {"usage": counts} if done and counts["completion_tokens"] is not None else {}
        return {"error": line.get("error"), "choices": [{"delta": delta, "finish_reason": reason}], **usage}
