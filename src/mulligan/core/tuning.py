"""How to ask a model: the family its name belongs to, the fields sent for it, and what a server's refusal is about."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mulligan.core.thinking_budget import thinking_budget
from mulligan.types.frozen import frozen
from mulligan.types.model_io import AssistantReply, ModelRequest
from mulligan.types.profiles import ModelProfile, ServerKind
from mulligan.types.tool_calls import JsonObject
from mulligan.types.tuning import ModelFamily, ModelSettings, Sampling, Thinking, Tuning

WARMER = 0.3
"""Added to the temperature after a reply that repeated itself."""
WARMEST = 1.3
USUAL_TEMPERATURE = 0.7
"""Assumed as a server's default if nothing is known about the model."""
PENALTY = 1.1
"""The repetition penalty after a reply that repeated itself. A higher one breaks names and paths in code."""

UNKNOWN_FAMILY = ModelFamily(name="", matches="", sources=(), switch="enable_thinking")
"""If the user wants to switch thinking and the way is unknown: most templates take this."""

SAMPLING_FIELDS = tuple(Sampling.field_defaults)
_BUDGET_NAMES: Mapping[ServerKind, str] = {
    **dict.fromkeys(("llama.cpp", "embedded"), "thinking_budget_tokens"),
    "vllm": "thinking_token_budget",
}
"""Servers that end a model's thinking themselves, without a second request."""
_THINKING_FIELDS = ("reasoning_effort", "chat_template_kwargs", *sorted(set(_BUDGET_NAMES.values())))
_PENALTY_NAMES: Mapping[ServerKind, str] = dict.fromkeys(("llama.cpp", "lmstudio", "embedded"), "repeat_penalty")
_REASONING_NAMES: Mapping[ServerKind, str] = dict.fromkeys(("ollama", "lmstudio"), "reasoning")
_ABOUT_THINKING = re.compile(r"\b(?:thinking|reasoning)\b", re.IGNORECASE)
_MISSING = re.compile(r"must be passed|\bmissing\b", re.IGNORECASE)
"""DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API" does not refuse the field."""
_PUBLISHER = re.compile(r"(?:[a-z-]+[._])?")
"""`bartowski/Qwen_Qwen3-8B`, `openai.gpt-oss-20b`: the publisher comes before the name."""


def pick_family(model: str, families: Iterable[ModelFamily]) -> ModelFamily | None:
    """The first family that the model's name begins with, as servers write it: `qwen3:8b`, `Qwen/Qwen3-8B-GGUF`,
    `models/qwen3-8b-q4_k_m.gguf`. Other models that only contain the family's name don't count."""
    name = model.lower().removeprefix("embedded:").replace("\\", "/").rstrip("/").rpartition("/")[2].replace(":", "-")
    starts = {0, _publisher_ends(name)}
    return next((each for each in families for start in starts if _matches(each.matches, name, start)), None)


@frozen
class Sourced:
    """One value of a tuning, and where it comes from."""

    name: str
    value: float | str
    source: str


Layer = tuple[str, ModelSettings]
"""A source, and its settings."""


def sourced_values(family: ModelFamily | None, layers: Sequence[Layer]) -> tuple[Sourced, ...]:
    """The effective values, in a fixed order; later layers override earlier ones, and all of them the family."""
    known = {name: (value, source) for source, layer in layers for name, value in _given(layer).items()}
    if family:
        thinking = known["thinking"][0] if "thinking" in known else None
        advised = family.thinking if family.thinking and _thinks(family, thinking) else family.sampling
        shipped = _given(advised) | ({"replay": family.replay} if family.replay != "none" else {})
        known = {name: (value, " ".join(family.sources)) for name, value in shipped.items()} | known
    return tuple(Sourced(name, *known[name]) for name in ModelSettings.field_defaults if name in known)


def tune(family: ModelFamily | None, layers: Sequence[Layer]) -> Tuning:
    """The settings with which to ask the model."""
    values = {each.name: each.value for each in sourced_values(family, layers)}
    sampling = {name: values.pop(name) for name in SAMPLING_FIELDS if name in values}
    own = next((layer.temperature for _, layer in reversed(layers) if layer.temperature is not None), None)
    return Tuning.model_validate({"family": family, "sampling": sampling, "own_temperature": own, **values})


def tuned_request(request: ModelRequest, tuning: Tuning, kind: ServerKind, refused: Iterable[str] = ()) -> ModelRequest:
    """The request with the fields for this model at such a server, without those that it refuses."""
    if request.answer_now:
        tuning = tuning.model_copy(update={"thinking": "off", "thinking_budget": 0})
    fields = {**_sampling_fields(request, tuning, kind), **thinking_fields(tuning, kind)}
    taken = {name: value for name, value in fields.items() if name not in refused}
    temperature = taken.pop("temperature", None)
    field = _REASONING_NAMES.get(kind, "reasoning_content")
    messages = request.messages
    if field in refused:
        messages = tuple(replace(each, reasoning="") if isinstance(each, AssistantReply) else each for each in messages)
    return replace(request, messages=messages, temperature=temperature, options=taken, reasoning_field=field)


def may_think(tuning: Tuning) -> bool:
    """Whether its replies may begin with thoughts, as far as that is known."""
    return tuning.family is None or _thinks(tuning.family, tuning.thinking)


def with_budget(tuning: Tuning, profile: ModelProfile) -> Tuning:
    """The tuning of a thinking model, with its budget at such a server."""
    if tuning.thinking_budget is not None or tuning.family is None or not may_think(tuning):
        return tuning
    return tuning.model_copy(update={"thinking_budget": thinking_budget(None, profile).tokens})


def server_counts(tuning: Tuning, profile: ModelProfile) -> bool:
    """Whether the server gets the thinking budget, and enforces it itself."""
    field = _BUDGET_NAMES.get(profile.kind)
    has_budget = with_budget(tuning, profile).thinking_budget is not None
    return has_budget and field is not None and field not in profile.refused_fields


def thinking_fields(tuning: Tuning, kind: ServerKind) -> JsonObject:
    """The fields that switch and limit thinking. Empty for a model that is left as it is, or has no switch."""
    family, wanted = tuning.family or UNKNOWN_FAMILY, tuning.thinking
    if kind == "anthropic":
        return {}
    template: JsonObject = {}
    fields: JsonObject = {}
    match family.switch:
        case "reasoning_effort" if wanted:
            effort = {"on": "medium", "off": family.least_effort}.get(wanted, wanted)
            fields["reasoning_effort"] = effort
            if family.effort_in_template and kind in ("llama.cpp", "embedded", "openai"):
                # llama.cpp reads it only there, and an unknown server may be llama.cpp.
                template["reasoning_effort"] = effort
        case "enable_thinking" | "thinking" if wanted:
            template[family.switch] = wanted != "off"
            if wanted == "off" and kind in ("ollama", "openai"):
                # Ollama has no other way to switch it off, and an unknown server may be Ollama.
                fields["reasoning_effort"] = "none"
        case "thinking_budget":
            budget = 0 if wanted == "off" else tuning.thinking_budget
            template.update({} if budget is None else {"thinking_budget": budget})
        case _:
            pass
    if kind in _BUDGET_NAMES and tuning.thinking_budget is not None:
        fields[_BUDGET_NAMES[kind]] = tuning.thinking_budget
    if family.keeps_thinking and tuning.replay == "all":
        template["preserve_thinking"] = True
    return {**fields, **({"chat_template_kwargs": template} if template else {})}


def refused_fields(error: str, sent: ModelRequest) -> frozenset[str]:
    """The fields of a request that a server's refusal is about. Empty: it is about something else."""
    if _MISSING.search(error):
        return frozenset()
    replayed = any(isinstance(each, AssistantReply) and each.reasoning for each in sent.messages)
    names = [*sent.options, *(["temperature"] if sent.temperature is not None else [])]
    names += [sent.reasoning_field] if replayed else []
    named = {name for name in names if re.search(rf"(?<!\w){name}(?!\w)", error)}
    if named:
        return frozenset(named)
    return frozenset(name for name in _THINKING_FIELDS if name in sent.options and _ABOUT_THINKING.search(error))


def _sampling_fields(request: ModelRequest, tuning: Tuning, kind: ServerKind) -> JsonObject:
    """A request at temperature 0 wants the same answer each time: then no other sampling field is sent."""
    temperature = tuning.sampling.temperature if request.temperature is None else request.temperature
    values = {} if temperature == 0 else _given(tuning.sampling)
    if temperature is not None:
        values["temperature"] = temperature
    if request.after_repetition:
        values |= _against_repetition(tuning, temperature)
    penalty = _PENALTY_NAMES.get(kind, "repetition_penalty")
    known = ("temperature", "top_p", "top_k") if kind == "anthropic" else SAMPLING_FIELDS
    named = {"repetition_penalty": penalty}
    seed = {} if request.seed is None or kind == "anthropic" else {"seed": request.seed}
    return {named.get(name, name): values[name] for name in known if name in values} | seed


def _against_repetition(tuning: Tuning, temperature: float | None) -> dict[str, Any]:
    """Different sampling, so that the same prompt does not lead into the same loop. Temperature 0 stays."""
    values: dict[str, Any] = {}
    if temperature != 0:
        base = USUAL_TEMPERATURE if temperature is None else temperature
        values["temperature"] = max(base, round(min(base + WARMER, WARMEST), 2))
    if tuning.family is None or tuning.family.penalized:
        values["repetition_penalty"] = max(PENALTY, tuning.sampling.repetition_penalty or 0)
    return values


def _thinks(family: ModelFamily, wanted: Thinking | Any | None) -> bool:
    if wanted is None or (family.switch is None):
        return family.thinks
    return wanted != "off" or (family.switch == "reasoning_effort" and family.least_effort != "none")


def _given(settings: Sampling) -> dict[str, Any]:
    return settings.model_dump(exclude_none=True)


def _matches(pattern: str, name: str, start: int) -> bool:
    # Most patterns begin with a word, and compiling all of them would delay the first request too much.
    word = pattern[:2]
    return not (word.isalpha() and not name.startswith(word, start)) and bool(re.compile(pattern).match(name, start))


def _publisher_ends(name: str) -> int:
    found = _PUBLISHER.match(name)
    return found.end() if found else 0
