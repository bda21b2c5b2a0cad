"""Which model answers: the one the person named, else one that runs on this machine, else the embedded one.

No code leaves the machine unasked: only loopback is searched, and API keys in the environment are offered, not used.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mulligan.core.context_budget import CHARS_PER_TOKEN, ContextBudget
from mulligan.core.protocols import choose_agency
from mulligan.models.known.profiles import Choice, ProfileCache, Remembered
from mulligan.types.errors import ConfigurationError
from mulligan.types.profiles import Agency, ModelProfile, ServerKind
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.models.embedded.download_progress import Report
    from mulligan.models.known.probe import Progress
    from mulligan.models.protocols.adaptive import AdaptiveModel
    from mulligan.ports.models import Model
    from mulligan.types.profiles import FoundServer

EMBEDDED = "embedded"

Notify = Callable[[str], None]
"""Where a sentence for the person goes, before the turn begins."""

DownloadDisplay = Callable[[str], "AbstractContextManager[Report]"]
"""Shows the download of the model of that name."""


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A model that can be asked, and what is known of it."""

    model: "Model"
    """With the tool protocol and the retries around it."""
    unwrapped: "Model"
    """Without them."""
    adaptive: "AdaptiveModel"
    agency: Agency

    @property
    def profile(self) -> ModelProfile:
        """What is known by now; turns teach more."""
        return self.adaptive.profile

    def budget(self) -> ContextBudget | None:
        length = self.profile.context_length
        return ContextBudget(length, self.profile.chars_per_token or CHARS_PER_TOKEN) if length else None


def key_withheld_words(settings: Settings) -> str:
    return (
        f"your API key was not sent to {settings.base_url}: the project's mulligan.toml chose that server. To use the "
        f"key there, name the server yourself: base_url in {settings.home / 'mulligan.toml'}, MULLIGAN_BASE_URL or "
        "--base-url"
    )


class ModelSelector:
    """Chooses models, and keeps their connections for as long as a command runs."""

    def __init__(
        self, settings: Settings, *, tell: Notify, pulling: DownloadDisplay, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._pulling = pulling
        self._environ = environ
        self._profiles = ProfileCache(settings.home)
        self._remembered = Remembered(settings.home)
        self._choices: dict[str | None, Choice] = {}
        self._guessed: set[str | None] = set()
        """Names for which no server answered: it may have been started by the next time."""
        self._said: set[str] = set()
        self._ready: dict[Choice, ReadyModel] = {}
        self._closers: list[Callable[[], Awaitable[None]]] = []

    async def choose(self, name: str | None) -> Choice:
        """The server and the model for a name; None leaves it to us. Nothing is downloaded or started."""
        if name not in self._choices or name in self._guessed:
            self._guessed.discard(name)
            self._choices[name] = await self._choose(name)
        return self._choices[name]

    async def ready(self, name: str | None) -> ReadyModel:
        """A model that can be asked. An embedded one is downloaded first if it is not here."""
        choice = await self.choose(name)
        if choice not in self._ready:
            self._ready[choice] = await self._make_ready(choice)
        return self._ready[choice]

    async def check(self, name: str | None) -> Choice:
        """As `choose`. Raises `ConfigurationError` too for a model that would have to be downloaded and may not be."""
        choice = await self.choose(name)
        if choice.kind == "embedded":
            from mulligan.models.embedded.catalog import find_entry
            from mulligan.models.embedded.download import ModelFiles

            if not ModelFiles(self._settings.home).present(find_entry(choice.model)):
                self._may_download(choice.model)
        return choice

    def agency(self, choice: Choice) -> Agency:
        """Who would drive, by what is known so far."""
        profile = self._profiles.get(choice.base_url, choice.model) or self._unknown(choice)
        return choose_agency(profile, self._settings.agency)

    async def offered(self) -> "list[FoundServer]":
        """The servers at which a model can be chosen by its name: the one that is set, else those on this machine."""
        base_url = self._settings.base_url
        if base_url:
            from mulligan.models.known.discovery import kind_at, models_at
            from mulligan.types.profiles import FoundServer

            kind = kind_at(base_url)
            names = await models_at(base_url, kind, self._api_key(base_url))
            return [FoundServer(base_url=base_url, kind=kind, models=tuple(names))]
        if not self._settings.discovery:
            return []
        from mulligan.models.known.discovery import discover

        return list(await discover())

    def profiles(self) -> list[ModelProfile]:
        """What is known of models that were used or probed."""
        return self._profiles.all()

    async def probe(self, answering: ReadyModel, progress: "Progress") -> ModelProfile:
        """Find out in full what a model can do, by asking it a few tiny things, and remember it."""
        from mulligan.models.known.probe import probe
        from mulligan.models.wire.retrying import RetryingModel

        profile = await probe(RetryingModel(answering.unwrapped), answering.profile, progress=progress)
        self._profiles.put(profile)
        self._ready.clear()
        return profile

    async def close(self) -> None:
        for close in self._closers:
            await close()

    async def _choose(self, name: str | None) -> Choice:
        if name == EMBEDDED or (name and name.startswith(f"{EMBEDDED}:")):
            return self._embedded(name.partition(":")[2] or None)
        if self._settings.base_url:
            return await self._at_the_given_address(self._settings.base_url, name)
        return await self._found_here(name)

    async def _at_the_given_address(self, base_url: str, name: str | None) -> Choice:
        from mulligan.models.known.discovery import kind_at

        kind = kind_at(base_url)
        if self._settings.key_withheld:
            self._say(key_withheld_words(self._settings))
        return Choice(base_url=base_url, kind=kind, model=name or await self._first_model(base_url, kind))

    async def _first_model(self, base_url: str, kind: ServerKind) -> str:
        """The first model that the server lists. Servers that list none mostly take any name; the others say so."""
        from mulligan.models.known.discovery import models_at

        names = await models_at(base_url, kind, self._api_key(base_url))
        if not names:
            self._guessed.add(None)
        return names[0] if names else "default"

    async def _found_here(self, name: str | None) -> Choice:
        """Look for a server on this machine, the one used last first."""
        from mulligan.models.known.discovery import choose_model, choose_server, discover

        found = await discover() if self._settings.discovery else []
        if name:
            found = [server for server in found if name in server.models]
            if not found:
                raise ConfigurationError(
                    f"no server on this machine offers the model {name}: name one with --base-url, or use "
                    f"--model {EMBEDDED} for the embedded model"
                )
        last = self._remembered.get()
        server = choose_server(found, last)
        model = name or (choose_model(server, last.model if last else None) if server else None)
        if server is None or model is None:
            return self._nothing_found()
        choice = Choice(base_url=server.base_url, kind=server.kind, model=model)
        self._remembered.keep(choice)
        others = len(found) - 1
        more = f" ({others} more found; --base-url chooses)" if others else ""
        self._say(f"found {server.kind} at {server.base_url}, using {model}{more}")
        return choice

    def _nothing_found(self) -> Choice:
        from mulligan.models.known.discovery import offered_services

        for offer in offered_services(self._environ):
            self._say(f"{offer.variable} is set; to use {offer.name}: {offer.how}")
        choice = self._embedded(None)
        self._guessed.add(None)
        self._say(f"no model server found on this machine, using the embedded model {choice.model}")
        return choice

    def _say(self, words: str) -> None:
        """Once: it is looked for servers more than once."""
        if words not in self._said:
            self._said.add(words)
            self._tell(words)

    def _embedded(self, name: str | None) -> Choice:
        from mulligan.models.embedded.catalog import find_entry, load_catalog

        entry = find_entry(name or load_catalog().default)
        return Choice(base_url=EMBEDDED, kind="embedded", model=entry.name)

    async def _make_ready(self, choice: Choice) -> ReadyModel:
        from mulligan.models.known.first_contact import FirstContact
        from mulligan.models.protocols.adaptive import AdaptiveModel
        from mulligan.models.wire.retrying import RetryingModel

        bare = await self._embedded_model(choice) if choice.kind == "embedded" else self._served_model(choice)
        known = self._profiles.get(choice.base_url, choice.model)
        profile = known or self._unknown(choice)
        adaptive = AdaptiveModel(bare, self._told(profile), wanted=self._settings.protocol, learn=self._profiles.put)
        model: Model = adaptive
        if choice.kind != "embedded":
            model = first = FirstContact(adaptive, lambda: self._first_contact(choice), known=known is not None)
            self._closers.insert(0, first.aclose)
        agency = choose_agency(profile, self._settings.agency)
        return ReadyModel(RetryingModel(model), bare, adaptive, agency)

    def _served_model(self, choice: Choice) -> "Model":
        key, idle = self._api_key(choice.base_url), self._settings.idle_timeout
        if choice.kind == "anthropic":
            from mulligan.models.wire.anthropic import AnthropicChat

            model = AnthropicChat(choice.model, base_url=choice.base_url, api_key=key, idle_timeout=idle)
        else:
            from mulligan.models.wire.openai_chat import OpenAIChat

            model = OpenAIChat(choice.base_url, choice.model, api_key=key, idle_timeout=idle)
        self._closers.append(model.aclose)
        return model

    def _unknown(self, choice: Choice) -> ModelProfile:
        """What is known of a model that was never used: of an embedded one, what the catalog says."""
        if choice.kind != "embedded":
            return ModelProfile(server=choice.base_url, model=choice.model, kind=choice.kind)
        from mulligan.models.embedded.catalog import find_entry

        entry = find_entry(choice.model)
        return ModelProfile(
            server=EMBEDDED,
            model=entry.name,
            kind="embedded",
            context_length=entry.context,
            native_tools=False,
            json_schema=True,
            agency=entry.agency,
        )

    def _told(self, profile: ModelProfile) -> ModelProfile:
        """The profile with what the person knows better."""
        length = self._settings.context_length
        return profile.model_copy(update={"context_length": length}) if length else profile

    async def _first_contact(self, choice: Choice) -> ModelProfile:
        """What can be known without asking the model to write."""
        from mulligan.models.known.metadata import read_metadata
        from mulligan.types.profiles import FoundServer

        # A server that was only named is recognised first; one that was found is known.
        server = choice.base_url
        if choice.kind != "openai":
            server = FoundServer(base_url=choice.base_url, kind=choice.kind)
        return self._told(await read_metadata(server, choice.model, self._api_key(choice.base_url)))

    def _api_key(self, base_url: str) -> str | None:
        """The key that was set; else the one in the environment that belongs to the service that was chosen."""
        if self._settings.api_key:
            return self._settings.api_key.get_secret_value()
        from mulligan.models.known.discovery import offered_services

        host = urlsplit(base_url).hostname
        mine = (offer for offer in offered_services(self._environ) if urlsplit(offer.base_url).hostname == host)
        return next((self._environ[offer.variable] for offer in mine), None)

    def _may_download(self, name: str) -> None:
        if not self._settings.downloads:
            raise ConfigurationError(
                f"no model server is set, and the embedded model {name} is not here. Name a server with --base-url "
                "http://127.0.0.1:11434/v1 (Ollama's address; llama.cpp listens on 8080, LM Studio on 1234, vLLM on "
                f"8000) or MULLIGAN_BASE_URL, or download the model with: mulligan models pull {name}"
            )

    async def _embedded_model(self, choice: Choice) -> "Model":
        from mulligan.models.embedded.catalog import find_entry
        from mulligan.models.embedded.download import ModelFiles
        from mulligan.models.embedded.model import EmbeddedModel
        from mulligan.models.embedded.servers import EmbeddedServers

        entry, files = find_entry(choice.model), ModelFiles(self._settings.home)
        if not files.present(entry):
            self._may_download(entry.name)
            with self._pulling(entry.name) as progress:
                await files.pull(entry, progress=progress)
        servers = EmbeddedServers(self._settings.home)
        model = EmbeddedModel(
            servers,
            entry.name,
            files.path(entry),
            context=entry.context,
            idle_timeout=self._settings.idle_timeout,
            tell=self._tell,
        )
        self._closers.append(model.aclose)
        return model
