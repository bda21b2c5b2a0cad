"""Model servers on this machine, their models, and services whose key is in the environment."""

import asyncio
import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from mulligan.models.known.profiles import Choice
from mulligan.models.known.server_facts import ServerFacts, listed_models
from mulligan.runtime.awake_timeout import awake_timeout
from mulligan.runtime.lenient_json import as_list, as_name, as_object, as_text
from mulligan.types.errors import ModelError
from mulligan.types.frozen import frozen
from mulligan.types.profiles import FoundServer, ServerKind

USUAL_SERVERS = {11434: "Ollama", 8080: "llama.cpp", 1234: "LM Studio", 8000: "vLLM", 5000: "text-generation-webui"}
"""By default port."""
USUAL_PORTS = tuple(USUAL_SERVERS)
CONNECT_TIMEOUT = 0.3
ANSWER_TIMEOUT = 1.5
_CAN_NOT_CHAT = re.compile(r"embed|rerank|\bbge\b|minilm|whisper|\btts\b|\bclip\b|bert\b|\bgte\b|\be5\b", re.IGNORECASE)
_WRITES_CODE = re.compile(r"code|coder|devstral|starcoder", re.IGNORECASE)
_FOLLOWS = re.compile(r"instruct|chat|-it\b|assistant", re.IGNORECASE)


class LocalServer(FoundServer):
    """A server on this machine with the models that can chat."""

    loaded: tuple[str, ...] = ()
    """Models in memory, which answer without being loaded first."""


async def discover(ports: Sequence[int] = USUAL_PORTS, *, host: str = "127.0.0.1") -> list[LocalServer]:
    """The model servers on these ports, in the order of the ports. Asks all at once, in about 2 s at most."""
    if not ipaddress.ip_address(host).is_loopback:
        raise ValueError(f"only loopback is searched, and {host} is not")
    found = await asyncio.gather(*(_look_at(host, port) for port in ports))
    return [server for server in found if server]


def choose_server(found: Sequence[LocalServer], remembered: Choice | None = None) -> LocalServer | None:
    """The remembered one if it is still there; else one with a model in memory; else the first with a model."""
    usable = [server for server in found if choose_model(server)]
    if remembered:
        last = (remembered.base_url, remembered.kind)
        for server in usable:
            if (server.base_url, server.kind) == last:
                return server
    return min(usable, key=lambda server: not server.loaded, default=None)


def choose_model(server: LocalServer, remembered: str | None = None) -> str | None:
    """The remembered model if it is still there; else one in memory, then one for code, for chat, the first."""
    able = [name for name in server.models if not _CAN_NOT_CHAT.search(name)]
    if remembered in able:
        return remembered
    return min(able, key=lambda name: _rank(name, loaded=name in server.loaded), default=None)


def _rank(name: str, *, loaded: bool) -> tuple[bool, bool, bool]:
    return (not loaded, not _WRITES_CODE.search(name), not _FOLLOWS.search(name))


async def _look_at(host: str, port: int) -> LocalServer | None:
    if not await _is_open(host, port):
        return None
    base_url = f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"
    async with ServerFacts(base_url, answer_timeout=ANSWER_TIMEOUT) as facts:
        kind = await facts.kind()
        if kind is None:
            return None
        models, loaded = await _READERS.get(kind, _listed)(facts)
        return LocalServer(base_url=base_url, kind=kind, models=models, loaded=loaded)


async def _is_open(host: str, port: int) -> bool:
    """A bare connection: most ports are closed, which needs no HTTP client to find out."""
    try:
        async with awake_timeout(CONNECT_TIMEOUT):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


Models = tuple[tuple[str, ...], tuple[str, ...]]
"""All that can chat, and those in memory."""


async def _listed(facts: ServerFacts) -> Models:
    models = tuple(entry["id"] for entry in listed_models(await facts.get("/v1/models")))
    return models, ()


async def _always_loaded(facts: ServerFacts) -> Models:
    """llama.cpp and vLLM are started with the model they serve."""
    models, _ = await _listed(facts)
    return models, models


async def _of_ollama(facts: ServerFacts) -> Models:
    tags, running = await asyncio.gather(facts.get("/api/tags"), facts.get("/api/ps"))
    entries = list(map(as_object, as_list(as_object(tags).get("models"))))
    models = tuple(name for entry in entries if _chats_here(entry) and (name := as_name(entry.get("name"))))
    in_memory = {as_text(as_object(entry).get("name")) for entry in as_list(as_object(running).get("models"))}
    return models, tuple(name for name in models if name in in_memory)


def _chats_here(entry: dict[str, Any]) -> bool:
    """Not an embedding model, and it runs on this machine: Ollama lists cloud models as if they were local."""
    details = as_object(entry.get("details"))
    families = [as_text(family) for family in [details.get("family"), *as_list(details.get("families"))]]
    return not any("bert" in family for family in families) and not entry.get("remote_host")


async def _of_lmstudio(facts: ServerFacts) -> Models:
    entries = list(map(as_object, as_list(as_object(await facts.get("/api/v0/models")).get("data"))))
    able = [entry for entry in entries if entry.get("type") in ("llm", "vlm") and as_name(entry.get("id"))]
    return tuple(entry["id"] for entry in able), tuple(e["id"] for e in able if e.get("state") == "loaded")


_READERS: dict[ServerKind, Callable[[ServerFacts], Any]] = {
    "ollama": _of_ollama,
    "llama.cpp": _always_loaded,
    "vllm": _always_loaded,
    "lmstudio": _of_lmstudio,
}


ANTHROPIC_HOST = "api.anthropic.com"


def kind_at(base_url: str) -> ServerKind:
    """The kind by address alone: any server but Anthropic's is `openai` until it is identified."""
    return "anthropic" if urlsplit(base_url).hostname == ANTHROPIC_HOST else "openai"


async def models_at(base_url: str, kind: ServerKind, api_key: str | None) -> list[str]:
    """The models that a server lists; none if it does not answer, or has no list."""
    try:
        return await list_models_at(base_url, kind, api_key)
    except ModelError:
        return []


async def list_models_at(base_url: str, kind: ServerKind, api_key: str | None) -> list[str]:
    """The models that a server lists. Raises `ModelError` if it does not answer, or has no list."""
    if kind == "anthropic":
        from mulligan.models.wire.anthropic import list_models as list_anthropic

        return await list_anthropic(api_key, base_url=base_url)
    from mulligan.models.wire.openai_chat import list_models

    return await list_models(base_url, api_key)


async def detected_kind(base_url: str, api_key: str | None) -> ServerKind:
    """The kind that the server reports, else the kind by its address."""
    kind = kind_at(base_url)
    if kind == "anthropic":
        return kind
    async with ServerFacts(base_url, api_key, answer_timeout=ANSWER_TIMEOUT) as facts:
        return await facts.kind() or kind


@frozen
class HostedService:
    name: str
    variable: str
    """The environment variable that holds the key."""
    base_url: str

    @property
    def how(self) -> str:
        """The settings that choose it."""
        return f'MULLIGAN_API_KEY="${self.variable}" MULLIGAN_BASE_URL={self.base_url} MULLIGAN_MODEL=NAME'


KNOWN = (
    HostedService("OpenAI", "OPENAI_API_KEY", "https://api.openai.com/v1"),
    HostedService("Anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    HostedService("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    HostedService("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    HostedService("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
    HostedService("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
    HostedService("Gemini", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"),
)


def offered_services(environ: Mapping[str, str]) -> list[HostedService]:
    """The services that could be used with the available keys."""
    return [offer for offer in KNOWN if environ.get(offer.variable, "").strip()]
