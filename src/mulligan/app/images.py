"""Images of a user's message: stored, named in the message, and sent only to a model that accepts them."""

import asyncio
import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.attachments import AttachedText, find_mentions
from mulligan.core.images import MAX_BYTES, MAX_IMAGES, image_words, is_image_name, read_image, refusal, takes_images
from mulligan.core.payload import message_images
from mulligan.runtime.regular_files import UnfitFile, read_regular
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.images import StoredImage
from mulligan.types.messages import AttachmentInfo, Message
from mulligan.types.profiles import ModelProfile
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session
    from mulligan.store.store import SqlStore
    from mulligan.workspace.files.project_files import ProjectFiles


async def keep_image(store: "SqlStore", name: str, data: bytes) -> AttachmentInfo:
    """An image from its bytes. Raises `ConfigurationError` if it is not an image, or too large."""
    about = await asyncio.to_thread(read_image, name, data)
    await store.images.keep(about, base64.b64encode(data).decode())
    return attached_image(name, about)


async def keep_image_files(store: "SqlStore", paths: Sequence[Path], prompt: str = "") -> tuple[AttachmentInfo, ...]:
    """Images that the user named by path, wherever they are: in an option, or in a message, where a path outside the
    project starts with `/` or `~`."""
    named = {str(path): path for path in paths}
    for mention in find_mentions(prompt) if "@" in prompt else ():
        if mention.name.startswith(("/", "~")) and is_image_name(mention.name):
            named[mention.written] = Path(mention.name)
    return tuple([await keep_image(store, name, await asyncio.to_thread(_read, path)) for name, path in named.items()])


async def keep_named_images(session: "Session", prompt: str) -> tuple[AttachmentInfo, ...]:
    """Images of the project that a goal names."""
    files = session.project_tools(session.settings.project).files
    named = [each for each in find_mentions(prompt) if is_image_name(each.name)] if "@" in prompt else []
    found = {each.written: each.name for each in named if await files.kind_of(each.name) == "file"}
    return tuple(
        [await keep_image(session.store, written, await read_named(files, name)) for written, name in found.items()]
    )


def attached_image(name: str, about: StoredImage) -> AttachmentInfo:
    return AttachmentInfo(name=name, about=image_words(about), image=about)


def as_attachment(given: AttachmentInfo) -> AttachedText:
    """The attachment, with the words that name it to the model."""
    return AttachedText(given, f"{given.name} is an image that comes with this message ({given.about}).")


async def require_images(
    session: "Session", ready_model: "ReadyModel", images: Sequence[AttachmentInfo], prompt: str = ""
) -> None:
    """Raises `ConfigurationError` if a message has images, given or named, and the model accepts none, or one of them
    is not an image. Nothing is stored or sent then."""
    files = session.project_tools(session.settings.project).files
    given = {each.name for each in images}
    mentions = find_mentions(prompt) if "@" in prompt else ()
    names = [each.name for each in mentions if is_image_name(each.name) and each.written not in given]
    named = [name for name in names if await files.kind_of(name) == "file"]
    if not images and not named:
        return
    if len(images) + len(named) > MAX_IMAGES:
        raise ConfigurationError(
            f"the message has {len(images) + len(named)} images, but at most {MAX_IMAGES} are allowed"
        )
    await ready_model.learn_now()
    if not ready_model.takes_images:
        raise ConfigurationError(refusal(ready_model.profile.model, takes=ready_model.takes_images))
    for name in named:
        read_image(name, await read_named(files, name))


async def read_named(files: "ProjectFiles", name: str) -> bytes:
    """An image of the project. Raises `ConfigurationError`: a message is not sent without its images."""
    try:
        return await files.read_bytes(name, MAX_BYTES)
    except CallRejected as refused:
        raise ConfigurationError(str(refused)) from refused


async def images_of(store: "SqlStore", messages: Sequence[Message]) -> dict[str, str]:
    """The bytes of all their stored images, by digest, as base64."""
    digests = {image.about.digest for message in messages for image in message_images(message)}
    found = {digest: await store.images.data(digest) for digest in sorted(digests)}
    return {digest: data for digest, data in found.items() if data}


def known_to_see(settings: Settings) -> bool:
    """Whether the model that would answer accepts images, by what was learnt before. Contacts nobody."""
    from mulligan.app.model_tuning import model_tuning
    from mulligan.models.known.profiles import ProfileCache, Remembered

    used = Remembered(settings.home).get() if not settings.base_url else None
    server, model = settings.base_url or (used.base_url if used else ""), settings.model or (used.model if used else "")
    known = [each for each in ProfileCache(settings.home).all() if each.server == server]
    mine = [each for each in known if each.model == model] if model else known
    profile = mine[0] if len(mine) == 1 else ModelProfile(server=server, model=model)
    return takes_images(profile, own=model_tuning(profile.model, settings).images) is True


def _read(file: Path) -> bytes:
    try:
        return read_regular(file.expanduser(), limit=MAX_BYTES)
    except UnfitFile as error:
        raise ConfigurationError(f"the image {file} can't be sent: {error}") from error
    except (OSError, RuntimeError) as error:  # an unknown home folder
        raise ConfigurationError(f"the image {file} can't be read: {getattr(error, 'strerror', error)}") from error
