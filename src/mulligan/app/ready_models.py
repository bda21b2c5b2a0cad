"""Builds models: the wrappers stacked around the adapter of a server, or around the embedded model."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mulligan.app.model_tuning import model_tuning
from mulligan.core.context_budget import ContextBudget, chars_per_token
from mulligan.core.images import takes_images
from mulligan.core.model_downloads import DownloadOffer
from mulligan.core.protocols import choose_agency
from mulligan.models.known.profiles import Choice, ProfileCache
from mulligan.ports.callbacks import Notify
from mulligan.types.frozen import frozen
from mulligan.types.profiles import Agency, ModelProfile
from mulligan.types.settings import Settings
from mulligan.types.tuning import Tuning

if TYPE_CHECKING:
    from mulligan.models.embedded.download_progress import Report
    from mulligan.models.embedded.model import EmbeddedModel
    from mulligan.models.known.first_contact import FirstContact
    from mulligan.models.protocols.adaptive import AdaptiveModel
    from mulligan.ports.models import Model

EMBEDDED = "embedded"

DownloadDisplay = Callable[[str], "AbstractContextManager[Report]"]
"""Shows the download of the model of that name."""

AllowDownload = Callable[[DownloadOffer], Awaitable[bool]]
"""Asks the user, who may say no."""


@contextmanager
def unwatched_download(_name: str) -> Generator["Report", None, None]:
    """A download that nobody watches."""
    yield lambda _progress: None


async def nobody_to_ask(_offer: DownloadOffer) -> bool:
    return False


@frozen
class Downloads:
    """Who approves a download, and how it is shown."""

    show: DownloadDisplay = unwatched_download
    allow: AllowDownload = nobody_to_ask


@frozen
class ReadyModel:
    """A model that is ready to use, and what is known about it."""

    model: "Model"
    """The model with the tool protocol and the retries around it."""
    adaptive: "AdaptiveModel"
    agency: Agency
    tuning: Tuning
    """How it samples and thinks."""
    embedded: "EmbeddedModel | None" = None
    """The model itself, if it has to be downloaded or loaded first."""
    first: "FirstContact | None" = None
    """Asks its server about it."""

    @property
    def profile(self) -> ModelProfile:
        """What is known so far; turns teach more."""
        return self.adaptive.profile

    @property
    def takes_images(self) -> bool | None:
        """None: nobody knows."""
        return takes_images(self.profile, own=self.tuning.images)

    async def learn_now(self) -> None:
        """Ask the server about the model before asking the model. Once."""
        if self.first:
            await self.first.learn_now()

    def budget(self) -> ContextBudget | None:
        length = self.profile.context_length
        return ContextBudget(length, chars_per_token(self.profile)) if length else None


class ModelBuilder:
    """Builds models, and keeps their connections until it is closed."""

    def __init__(
        self,
        settings: Settings,
        profiles: ProfileCache,
        *,
        tell: Notify,
        show_download: DownloadDisplay,
        environ: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._show_download = show_download
        self._environ = environ
        self._profiles = profiles
        self._closers: list[Callable[[], Awaitable[None]]] = []

    async def build(self, choice: Choice) -> ReadyModel:
        """A model that is ready to use. An embedded one that is not here is downloaded when it is fetched or asked: the
        caller has made sure that it may be."""
        from mulligan.models.known.first_contact import FirstContact
        from mulligan.models.protocols.adaptive import AdaptiveModel
        from mulligan.models.thinking_limited import ThinkingLimited
        from mulligan.models.wire.retrying import RetryingModel

        known = self._profiles.get(choice.base_url, choice.model)
        profile = known or unknown_profile(choice)
        tuning = model_tuning(choice.model, self._settings)
        if tuning.needs_native_ollama:
            profile = await self._with_native_ollama(choice, profile, tuning)

        def known_by_now() -> ModelProfile:
            return adaptive.profile

        embedded = self._embedded_model(choice, known_by_now) if choice.kind == "embedded" else None
        bare = embedded or self._served_model(choice, profile, tuning, known_by_now)
        adaptive = AdaptiveModel(
            bare, self._with_overrides(profile), wanted=self._settings.protocol, learn=self._profiles.put, tuning=tuning
        )
        model: Model = adaptive
        first: FirstContact | None = None
        if choice.kind != "embedded":
            model = first = FirstContact(
                adaptive, lambda: self._first_contact(choice, tuning.num_ctx), known=known is not None
            )
            self._closers.insert(0, first.aclose)
        agency = choose_agency(profile, self._settings.agency)
        model = ThinkingLimited(model, tuning, profile=known_by_now)
        return ReadyModel(RetryingModel(model), adaptive, agency, tuning, embedded, first)

    async def close(self) -> None:
        for close in self._closers:
            await close()

    def _served_model(
        self, choice: Choice, profile: ModelProfile, tuning: Tuning, known: Callable[[], ModelProfile]
    ) -> "Model":
        key = api_key_for(choice.base_url, self._settings, self._environ)
        idle, first = self._settings.idle_timeout, self._settings.first_token_timeout
        if choice.kind == "anthropic":
            from mulligan.models.wire.anthropic import AnthropicChat

            model = AnthropicChat(
                choice.model, base_url=choice.base_url, api_key=key, idle_timeout=idle, first_token_timeout=first
            )
        elif profile.kind == "ollama" and tuning.needs_native_ollama:
            from mulligan.models.wire.ollama_chat import KEEP_ALIVE, OllamaChat

            model = OllamaChat(
                choice.base_url,
                choice.model,
                num_ctx=tuning.num_ctx,
                keep_alive=tuning.keep_alive or KEEP_ALIVE,
                api_key=key,
                idle_timeout=idle,
                first_token_timeout=first,
                known=known,
            )
        else:
            from mulligan.models.wire.openai_chat import OpenAIChat

            model = OpenAIChat(
                choice.base_url, choice.model, api_key=key, idle_timeout=idle, first_token_timeout=first, known=known
            )
        self._closers.append(model.aclose)
        return model

    def _with_overrides(self, profile: ModelProfile) -> ModelProfile:
        """The profile with the user's overrides."""
        length = self._settings.context_length
        return profile.model_copy(update={"context_length": length}) if length else profile

    async def _with_native_ollama(self, choice: Choice, profile: ModelProfile, tuning: Tuning) -> ModelProfile:
        """What is known about a model with settings that only Ollama accepts: first of all, whether it is on Ollama.

        A new context length is checked against free memory, so that the user knows why it is slow.
        """
        from mulligan.models.known.metadata import context_memory_words

        used, wanted = profile.context_length, tuning.num_ctx
        if profile.kind == "openai":
            profile = await self._first_contact(choice, wanted)
        if profile.kind != "ollama":
            self._tell(f"num_ctx and keep_alive are for Ollama, and {choice.base_url} is not known as one.")
        if profile.kind != "ollama" or wanted is None:
            return profile
        if used != wanted:
            key = api_key_for(choice.base_url, self._settings, self._environ)
            words = await context_memory_words(choice.base_url, choice.model, wanted, key)
            if words:
                self._tell(words)
        profile = profile.model_copy(update={"context_length": wanted, "truncates_at": wanted})
        self._profiles.put(profile)
        return profile

    async def _first_contact(self, choice: Choice, num_ctx: int | None = None) -> ModelProfile:
        """What can be known without asking the model to write."""
        from mulligan.models.known.metadata import read_metadata
        from mulligan.types.profiles import FoundServer

        # A server that was only named is identified first; one that was found is known.
        server = choice.base_url
        if choice.kind != "openai":
            server = FoundServer(base_url=choice.base_url, kind=choice.kind)
        key = api_key_for(choice.base_url, self._settings, self._environ)
        return self._with_overrides(await read_metadata(server, choice.model, key, num_ctx=num_ctx))

    def _embedded_model(self, choice: Choice, known: Callable[[], ModelProfile]) -> "EmbeddedModel":
        from mulligan.models.embedded.catalog import find_entry
        from mulligan.models.embedded.download import ModelFiles
        from mulligan.models.embedded.model import EmbeddedModel
        from mulligan.models.embedded.servers import EmbeddedServers

        entry, files = find_entry(choice.model), ModelFiles(self._settings.home)

        async def download() -> None:
            with self._show_download(entry.name) as progress:
                await files.pull(entry, progress=progress)

        servers = EmbeddedServers(self._settings.home)
        model = EmbeddedModel(
            servers,
            entry.name,
            files.path(entry),
            context=entry.context,
            idle_timeout=self._settings.idle_timeout,
            first_token_timeout=self._settings.first_token_timeout,
            known=known,
            tell=self._tell,
            download=None if files.present(entry) else download,
        )
        self._closers.append(model.aclose)
        return model


def unknown_profile(choice: Choice) -> ModelProfile:
    """What is known about a model that was never used: for an embedded one, what the catalog says."""
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
        images=False,
        agency=entry.agency,
    )


def api_key_for(base_url: str, settings: Settings, environ: Mapping[str, str]) -> str | None:
    """The configured key; else the one in the environment that belongs to the chosen service."""
    if settings.api_key:
        return settings.api_key.get_secret_value()
    from mulligan.models.known.discovery import offered_services

    host = urlsplit(base_url).hostname
    mine = (offer for offer in offered_services(environ) if urlsplit(offer.base_url).hostname == host)
    return next((environ[offer.variable] for offer in mine), None)
