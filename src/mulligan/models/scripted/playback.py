"""Which reply of a script a request gets, from a server in that guise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mulligan.models.scripted.reply import CHARACTERS_PER_TOKEN, prompt_tokens
from mulligan.models.scripted.script import Guise, Reply, Script, When
from mulligan.models.scripted.server_styles import refuse_context, refuse_schema, refuse_tools
from mulligan.runtime.lenient_json import as_object, as_text


@dataclass(frozen=True, slots=True)
class Asked:
    """As much of a request as a script can react to."""

    messages: Sequence[Any]
    """As they go over the wire."""
    tools: bool = False
    json_schema: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    reply: Reply
    messages: Sequence[Any]
    """What the model saw of the request."""


class Playback:
    """One run through a script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._in_order = 0

    def play(self, number: int, asked: Asked) -> Scene:
        """The reply to the request with the given number, from 1."""
        refused = _refusal(self._script, asked)
        if refused:
            return Scene(refused, asked.messages)
        seen = _as_seen(self._script.guise, asked)
        fitting = (reply for reply in self._script.replies if reply.when and _fits(reply.when, seen))
        reply = next(fitting, None)
        if reply is None:
            self._in_order += 1
            reply = self._script.reply_for(self._in_order)
        return Scene(reply.numbered(number), seen.messages)


def _refusal(script: Script, asked: Asked) -> Reply | None:
    guise, tokens = script.guise, prompt_tokens(asked.messages)
    if asked.tools and guise.tools == "refused":
        return refuse_tools(guise, script.model)
    if asked.json_schema and guise.json_schema == "refused":
        return refuse_schema(guise)
    if guise.context_length and tokens > guise.context_length and not _cuts(guise):
        return refuse_context(guise, guise.context_length, tokens)
    return None


def _as_seen(guise: Guise, asked: Asked) -> Asked:
    if guise.context_length and _cuts(guise):
        asked = replace(asked, messages=_cut(asked.messages, guise.context_length))
    return replace(
        asked,
        tools=asked.tools and guise.tools == "taken",
        json_schema=asked.json_schema and guise.json_schema == "taken",
    )


def _cuts(guise: Guise) -> bool:
    return guise.overflow == "cut" or (guise.overflow == "auto" and guise.kind == "ollama")


def _cut(messages: Sequence[Any], most: int) -> list[Any]:
    """As Ollama does: system texts and the last message stay, the oldest others go; then the last loses its front."""
    kept = list(messages)
    while prompt_tokens(kept) > most:
        oldest = next((place for place, message in enumerate(kept[:-1]) if not _is_system(message)), None)
        if oldest is None:
            break
        del kept[oldest]
    excess = (prompt_tokens(kept) - most) * CHARACTERS_PER_TOKEN
    if excess > 0:
        last = as_object(kept[-1])
        kept[-1] = {**last, "content": as_text(last.get("content"))[excess:]}
    return kept


def _is_system(message: Any) -> bool:
    return as_object(message).get("role") == "system"


def _fits(when: When, seen: Asked) -> bool:
    said = (as_text(as_object(message).get("content")) for message in seen.messages)
    return (
        (when.contains is None or any(when.contains in text for text in said))
        and when.tools in (None, seen.tools)
        and when.json_schema in (None, seen.json_schema)
    )
