"""Which reply of a script a request gets, from a server of that style."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mulligan.models.scripted.reply import SCRIPTED_CHARS_PER_TOKEN, progress_events, prompt_tokens
from mulligan.models.scripted.script import Script, ScriptedReply, ServerStyle, When
from mulligan.models.scripted.server_styles import (
    refuse_context,
    refuse_field,
    refuse_progress,
    refuse_roles,
    refuse_schema,
    refuse_tools,
)
from mulligan.runtime.lenient_json import as_object, as_text


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """The part of a request that a script can react to."""

    messages: Sequence[Any]
    """As they go over the wire."""
    tools: bool = False
    json_schema: bool = False
    fields: Collection[str] = ()
    """The names of all fields."""
    progress: bool = False
    """Whether it wants prompt progress."""
    context_length: int | None = None
    """The context it asks for, if the server allows that."""


@dataclass(frozen=True, slots=True)
class PlayedReply:
    reply: ScriptedReply
    messages: Sequence[Any]
    """What the model saw of the request."""
    progress: Sequence[str] = ()
    """Events sent while the prompt is read. Without any, the server is silent meanwhile."""


class Playback:
    """One run through a script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._in_order = 0

    def play(self, number: int, asked: ScriptedRequest) -> PlayedReply:
        """The reply to the request with the given number, from 1."""
        refused = _refusal(self._script, asked)
        if refused:
            return PlayedReply(refused, asked.messages)
        seen = _as_seen(self._script.server_style, asked)
        fitting = (reply for reply in self._script.replies if reply.when and _fits(reply.when, seen))
        reply = next(fitting, None)
        if reply is None:
            self._in_order += 1
            reply = self._script.reply_for(self._in_order)
        tells = seen.progress and self._script.server_style.kind == "llama.cpp" and reply.reading > 0
        progress = progress_events(seen.messages, reply.reading) if tells else ()
        return PlayedReply(reply.numbered(number), seen.messages, progress)


def _refusal(script: Script, asked: ScriptedRequest) -> ScriptedReply | None:
    server_style, tokens = script.server_style, prompt_tokens(asked.messages)
    if asked.tools and server_style.tools == "refused":
        return refuse_tools(server_style, script.model)
    if asked.json_schema and server_style.json_schema == "refused":
        return refuse_schema(server_style)
    unknown = next((field for field in server_style.refuses if field in asked.fields), None)
    if unknown:
        return refuse_field(server_style, unknown)
    if asked.progress and server_style.progress == "refused":
        return refuse_progress(server_style)
    if server_style.context_length and tokens > server_style.context_length and not _cuts(server_style):
        return refuse_context(server_style, server_style.context_length, tokens)
    if server_style.strict_roles and not roles_alternate(asked.messages):
        return refuse_roles(server_style)
    return None


def roles_alternate(messages: Sequence[Any]) -> bool:
    """As strict templates count: the user first, then alternating; a call with its results is one reply."""
    roles = [as_text(as_object(message).get("role")) for message in messages]
    if roles[:1] == ["system"]:
        roles = roles[1:]
    before = ["assistant", *roles]
    follows = {"user": {"assistant"}, "assistant": {"user", "tool"}, "tool": {"assistant", "tool"}}
    calling = [bool(as_object(message).get("tool_calls")) for message in messages[len(messages) - len(roles) :]]
    answered = all(role == "tool" for role, calls in zip(roles[1:], calling, strict=False) if calls)
    return answered and all(last in follows.get(role, ()) for last, role in zip(before, roles, strict=False))


def _as_seen(server_style: ServerStyle, asked: ScriptedRequest) -> ScriptedRequest:
    length = asked.context_length or server_style.context_length
    if length and _cuts(server_style):
        asked = replace(asked, messages=_cut(asked.messages, length))
    return replace(
        asked,
        tools=asked.tools and server_style.tools == "taken",
        json_schema=asked.json_schema and server_style.json_schema == "taken",
    )


def _cuts(server_style: ServerStyle) -> bool:
    return server_style.overflow == "cut" or (server_style.overflow == "auto" and server_style.kind == "ollama")


def _cut(messages: Sequence[Any], most: int) -> list[Any]:
    """Like Ollama: system texts and the last message stay, the oldest others go; then the last loses its start."""
    kept = list(messages)
    while prompt_tokens(kept) > most:
        oldest = next((index for index, message in enumerate(kept[:-1]) if not _is_system(message)), None)
        if oldest is None:
            break
        del kept[oldest]
    excess = (prompt_tokens(kept) - most) * SCRIPTED_CHARS_PER_TOKEN
    if excess > 0:
        last = as_object(kept[-1])
        kept[-1] = {**last, "content": as_text(last.get("content"))[excess:]}
    return kept


def _is_system(message: Any) -> bool:
    return as_object(message).get("role") == "system"


def _fits(when: When, seen: ScriptedRequest) -> bool:
    texts = (as_text(as_object(message).get("content")) for message in seen.messages)
    return (
        (when.contains is None or any(when.contains in text for text in texts))
        and when.tools in (None, seen.tools)
        and when.json_schema in (None, seen.json_schema)
    )
