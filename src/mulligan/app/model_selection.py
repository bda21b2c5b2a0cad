"""Which model answers: the one the user named, else one that runs on this machine, else the embedded one.

No code leaves the machine without asking: only loopback is searched, and API keys in the environment are offered, not
used.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.ready_models import (
    EMBEDDED,
    Downloads,
    ModelBuilder,
    ReadyModel,
    api_key_for,
    unknown_profile,
)
from mulligan.app.server_address import same_server
from mulligan.core.model_downloads import DownloadOffer, not_allowed_words, refused_words
from mulligan.core.protocols import choose_agency
from mulligan.models.embedded.engine import engine_missing, engine_version
from mulligan.models.known.profiles import Choice, ProfileCache, Remembered
from mulligan.ports.callbacks import Notify
from mulligan.types.errors import ConfigurationError, DownloadNotAllowed
from mulligan.types.profiles import Agency, ModelProfile, ServerKind
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.models.known.probe import Progress
    from mulligan.types.profiles import FoundServer


def key_withheld_words(settings: Settings) -> str:
    return (
        f"your API key was not sent to {settings.base_url}: the project's mulligan.toml chose that server. To use the "
        f"key there, name the server yourself: base_url in {settings.home / 'mulligan.toml'}, MULLIGAN_BASE_URL or "
        "--base-url"
    )


def download_offer(home: Path, model: str) -> DownloadOffer | None:
    """What would have to be downloaded for an embedded model; None if it is here."""
    from mulligan.models.embedded.catalog import find_entry
    from mulligan.models.embedded.download import ModelFiles
    from mulligan.models.known.discovery import USUAL_SERVERS

    entry, files = find_entry(model), ModelFiles(home)
    if files.present(entry):
        return None
    return DownloadOffer(
        entry.name,
        entry.size,
        files.begun(entry),
        folder=str(files.folder),
        user_file=str(home / "mulligan.toml"),
        servers=USUAL_SERVERS,
    )


class ModelSelector:
    """Chooses models, and keeps their connections for as long as a command runs."""

    def __init__(
        self,
        settings: Settings,
        *,
        tell: Notify,
        downloads: Downloads,
        environ: Mapping[str, str] = os.environ,
        engine: Callable[[], str | None] = engine_version,
    ) -> None:
        self._settings = settings
        self._allow = downloads.allow
        self._engine = engine
        self._tell = tell
        self._environ = environ
        self._profiles = ProfileCache(settings.home)
        self._builder = ModelBuilder(settings, self._profiles, tell=tell, show_download=downloads.show, environ=environ)
        self._remembered = Remembered(settings.home)
        self._choices: dict[str | None, Choice] = {}
        self._guessed: set[str | None] = set()
        """Names for which no server answered: one may have been started since."""
        self._announced: set[str] = set()
        self._allowed: set[str] = set()
        """Embedded models whose download was approved."""
        self._ready: dict[Choice, ReadyModel] = {}

    async def choose(self, name: str | None) -> Choice:
        """The server and the model for a name; None leaves the choice to us. Downloads and starts nothing."""
        if name not in self._choices or name in self._guessed:
            self._guessed.discard(name)
            self._choices[name] = await self._choose(name)
        return self._choices[name]

    async def ready(self, name: str | None, *, wait: bool = True) -> ReadyModel:
        """A model that is ready to use. An embedded one is downloaded first if needed and allowed; without waiting,
        that is left to the first request."""
        choice = await self.check(name)
        if choice not in self._ready:
            self._ready[choice] = await self._builder.build(choice)
        ready = self._ready[choice]
        if wait and ready.embedded:
            await ready.embedded.fetch()
        return ready

    async def check(self, name: str | None) -> Choice:
        """Like `choose`. If the model would have to be downloaded, asks the user first. Raises `ConfigurationError` if
        the download is not allowed, or the engine it needs is missing."""
        choice = await self.choose(name)
        if choice.kind == "embedded" and choice.model not in self._allowed:
            offer = download_offer(self._settings.home, choice.model)
            if offer:
                await self._allow_download(offer)
        return choice

    async def _allow_download(self, offer: DownloadOffer) -> None:
        if self._settings.downloads == "no":
            raise ConfigurationError(refused_words(offer))
        if self._engine() is None:
            raise engine_missing()
        if self._settings.downloads == "ask" and not await self._allow(offer):
            raise DownloadNotAllowed(not_allowed_words(offer))
        self._allowed.add(offer.name)

    def agency(self, choice: Choice) -> Agency:
        """Who would drive, judging by what is known so far."""
        profile = self._profiles.get(choice.base_url, choice.model) or unknown_profile(choice)
        return choose_agency(profile, self._settings.agency)

    async def offered(self) -> "list[FoundServer]":
        """The servers where a model can be chosen by name: the configured one, else those on this machine. Raises
        `ModelError` if the configured one doesn't answer."""
        base_url = self._settings.base_url
        if base_url:
            from mulligan.models.known.discovery import kind_at, list_models_at
            from mulligan.types.profiles import FoundServer

            kind = kind_at(base_url)
            names = await list_models_at(base_url, kind, api_key_for(base_url, self._settings, self._environ))
            return [FoundServer(base_url=base_url, kind=kind, models=tuple(names))]
        if not self._settings.discovery:
            return []
        from mulligan.models.known.discovery import discover

        return list(await discover())

    def look_again(self) -> None:
        """Forget what was found so far: a server may have been started or stopped."""
        self._choices.clear()

    def key_for(self, base_url: str) -> str | None:
        """The user's key, if it belongs to this server; else that of the service, from the environment."""
        mine = self._settings.api_key if same_server(base_url, self._settings.base_url) else None
        return api_key_for(base_url, self._settings.model_copy(update={"api_key": mine}), self._environ)

    def profiles(self) -> list[ModelProfile]:
        """What is known about models that were used or probed."""
        return self._profiles.all()

    async def probe(self, ready_model: ReadyModel, progress: "Progress") -> ModelProfile:
        """Measure what a model can do with a few tiny requests, and remember it."""
        from mulligan.models.known.probe import probe
        from mulligan.models.wire.retrying import RetryingModel

        found = await probe(RetryingModel(ready_model.adaptive.tuned), ready_model.profile, progress=progress)
        profile = found.model_copy(update={"refused_fields": ready_model.profile.refused_fields})
        self._profiles.put(profile)
        self._ready.clear()
        return profile

    async def close(self) -> None:
        await self._builder.close()

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
        """The first model that the server lists. Servers that list none usually accept any name; the others say so."""
        from mulligan.models.known.discovery import models_at

        names = await models_at(base_url, kind, api_key_for(base_url, self._settings, self._environ))
        if not names:
            self._guessed.add(None)
        return names[0] if names else "default"

    async def _found_here(self, name: str | None) -> Choice:
        """Look for a server on this machine, starting with the last one used."""
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
        looked = "no model server found on this machine" if self._settings.discovery else "no model is set"
        self._say(f"{looked}, so the embedded model {choice.model} answers")
        return choice

    def _say(self, words: str) -> None:
        """Once, although servers are searched for more than once."""
        if words not in self._announced:
            self._announced.add(words)
            self._tell(words)

    def _embedded(self, name: str | None) -> Choice:
        from mulligan.models.embedded.catalog import find_entry, load_catalog

        entry = find_entry(name or load_catalog().default)
        return Choice(base_url=EMBEDDED, kind="embedded", model=entry.name)
