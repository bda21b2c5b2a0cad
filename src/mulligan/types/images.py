"""Images attached to the user's messages."""

from typing import Literal

from mulligan.types.base import Record

ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


class StoredImage(Record):
    """An image's metadata. Its bytes are in the store."""

    digest: str
    """SHA-256 of the bytes: an image is stored once, however many messages contain it."""
    media_type: ImageType
    width: int
    height: int
    size: int
    """Bytes."""
