"""Images that go with the user's message."""

from typing import Literal

from mulligan.types.base import Record

ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


class StoredImage(Record):
    """An image that is kept, and what is known of it. Its bytes are in the store."""

    digest: str
    """SHA-256 of the bytes: the same image is kept once, whatever messages have it."""
    media_type: ImageType
    width: int
    height: int
    size: int
    """Bytes."""
