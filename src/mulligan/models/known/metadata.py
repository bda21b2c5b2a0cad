"""What a server reports about a model before it writes anything: its real context, and what it can do."""

import asyncio
import re
from typing import Any
from urllib.parse import urlsplit

from mulligan.core.context_memory import cache_bytes, memory_words
from mulligan.models.known.server_facts import ServerFacts, listed_models
from mulligan.models.wire.http_client import is_loopback
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.profiles import FoundServer, ModelProfile
from mulligan.types.tool_calls import JsonObject

ANSWER_TIMEOUT = 3.0
DEFAULT_LENGTH = 4096
"""The default context of Ollama and LM Studio, whatever the model was trained for."""
SLOTS_SINCE = 8000
"""The llama.cpp build from which a slot may be named. An older one lets a request wait forever for a missing slot, and
may be restarted with fewer at any time."""
_BUILD = re.compile(r"b(\d{1,9})\b")
_NUM_CTX = re.compile(r"^[ \t]*num_ctx[ \t]+(\d{1,12})\b", re.MULTILINE)


async def read_metadata(
    server: FoundServer | str, model: str, api_key: str | None = None, *, num_ctx: int | None = None
) -> ModelProfile:
    """The profile of a model at a server, or at a base URL. Makes no model call; what is not reported stays None.

    `num_ctx` is the context that requests to Ollama ask for.
    Raises `ConfigurationError` for an address or a key that can't be used, and nothing else.
    """
    base_url = server if isinstance(server, str) else server.base_url
    async with ServerFacts(base_url, api_key, answer_timeout=ANSWER_TIMEOUT) as facts:
        kind = await facts.kind() if isinstance(server, str) else server.kind
        profile = ModelProfile(server=base_url, model=model, kind=kind or "openai")
        match profile.kind:
            case "ollama":
                show, running = await asyncio.gather(facts.post("/api/show", {"model": model}), facts.get("/api/ps"))
                return from_ollama(profile, as_object(show), as_object(running), num_ctx)
            case "llama.cpp" | "embedded":
                return from_llama_cpp(profile, as_object(await facts.get("/props")))
            case "lmstudio":
                return from_lmstudio(profile, as_object(await facts.get("/api/v0/models")))
            case "vllm" | "openai":
                return from_listing(profile, await facts.get("/v1/models"))
            case "anthropic":
                return profile.model_copy(update={"native_tools": True, "json_schema": False})


def from_ollama(
    profile: ModelProfile, show: JsonObject, running: JsonObject, num_ctx: int | None = None
) -> ModelProfile:
    """The context is `num_ctx`, or else what Ollama loads the model with: over /v1 no length can be requested.

    Ollama silently truncates longer prompts, and never uses more than the model was trained for.
    """
    if not show:
        return profile
    info = as_object(show.get("model_info"))
    trained = next((as_count(value) for name, value in info.items() if name.endswith(".context_length")), 0)
    if num_ctx:
        length = min(num_ctx, trained or num_ctx)
    else:
        length = _loaded_length(profile.model, running) or _length_to_load(show, trained)
    capabilities = show.get("capabilities")
    return profile.model_copy(
        update={
            "context_length": length,
            "truncates_at": length,
            "native_tools": "tools" in as_list(capabilities) if capabilities is not None else None,
            "images": "vision" in as_list(capabilities) if capabilities is not None else None,
            "json_schema": True,
        }
    )


async def context_memory_words(base_url: str, model: str, num_ctx: int, api_key: str | None) -> str | None:
    """What to tell a user whose machine has too little memory for the context they set for Ollama."""
    from mulligan.models.embedded.machine import Machine

    if not is_loopback(urlsplit(base_url).hostname or ""):
        return None
    async with ServerFacts(base_url, api_key, answer_timeout=ANSWER_TIMEOUT) as facts:
        show, running, tags = await asyncio.gather(
            facts.post("/api/show", {"model": model}), facts.get("/api/ps"), facts.get("/api/tags")
        )
    info = as_object(as_object(show).get("model_info"))
    loaded = _named(model, as_object(running))
    size = 0 if loaded else as_count(_named(model, as_object(tags)).get("size"))
    here = cache_bytes(info, as_count(loaded.get("context_length"))) or 0
    more = cache_bytes(info, num_ctx)
    return memory_words(num_ctx, max(0, more - here) if more else None, size, Machine().free_memory())


def from_llama_cpp(profile: ModelProfile, props: JsonObject) -> ModelProfile:
    if not props:
        return profile
    length = as_count(as_object(props.get("default_generation_settings")).get("n_ctx"))
    caps, template = as_object(props.get("chat_template_caps")), as_text(props.get("chat_template"))
    # Without `tools` in its template a model gets them through a generic one, which is worth a try and no more.
    takes_tools = caps.get("supports_tools") is True or (not caps and "tools" in template)
    return profile.model_copy(
        update={
            "context_length": length or None,
            "native_tools": takes_tools or None,
            "json_schema": True,
            # Reports whether it was started with an `mmproj`; older builds say nothing.
            "images": vision if isinstance(vision := as_object(props.get("modalities")).get("vision"), bool) else None,
            "slots": _slots(props),
        }
    )


def _slots(props: JsonObject) -> int | None:
    """The number of slots, if there are several and a request can name one."""
    build, slots = _BUILD.match(as_text(props.get("build_info"))), as_count(props.get("total_slots"))
    return slots if slots > 1 and build is not None and int(build[1]) >= SLOTS_SINCE else None


def from_lmstudio(profile: ModelProfile, listing: JsonObject) -> ModelProfile:
    entry = _entry(profile.model, [as_object(entry) for entry in as_list(listing.get("data"))])
    if not entry:
        return profile
    most = as_count(entry.get("max_context_length")) or DEFAULT_LENGTH
    length = as_count(entry.get("loaded_context_length")) or min(most, DEFAULT_LENGTH)
    can_call = "tool_use" in as_list(entry.get("capabilities"))
    return profile.model_copy(
        # Other models get tools through LM Studio's own prompt, which may work too.
        update={
            "context_length": length,
            "native_tools": True if can_call else None,
            "json_schema": True,
            "images": entry.get("type") == "vlm" if entry.get("type") else None,
        }
    )


def from_listing(profile: ModelProfile, listing: Any) -> ModelProfile:
    entry = _entry(profile.model, listed_models(listing))
    length = as_count(entry.get("max_model_len"))
    # vLLM and SGLang report `max_model_len`, OpenRouter and others `context_length`.
    length = length or as_count(entry.get("context_length"))
    schema = True if profile.kind == "vllm" else None
    # Of services that list many models, OpenRouter reports what each accepts.
    taken = as_list(as_object(entry.get("architecture")).get("input_modalities"))
    images = "image" in taken if taken else None
    return profile.model_copy(update={"context_length": length or None, "json_schema": schema, "images": images})


def _entry(model: str, entries: list[JsonObject]) -> JsonObject:
    return next((entry for entry in entries if entry.get("id") == model), JsonObject())


def _loaded_length(model: str, running: JsonObject) -> int:
    return as_count(_named(model, running).get("context_length"))


def _named(model: str, listing: JsonObject) -> JsonObject:
    """The model's entry in one of Ollama's lists."""
    entries = map(as_object, as_list(listing.get("models")))
    return next((each for each in entries if _tagged(as_text(each.get("name"))) == _tagged(model)), JsonObject())


def _length_to_load(show: JsonObject, trained: int) -> int:
    set_by_model = _NUM_CTX.search(as_text(show.get("parameters")))
    if show.get("remote_host"):  # a cloud model of Ollama runs with its full context
        return trained or DEFAULT_LENGTH
    wanted = int(set_by_model[1]) if set_by_model else DEFAULT_LENGTH
    return min(wanted, trained) if trained else wanted


def _tagged(name: str) -> str:
    return name if ":" in name else f"{name}:latest"
