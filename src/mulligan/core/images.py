"""Images in a message: which files count, how much context they take, and which models accept them."""

import hashlib
import re
import struct

from mulligan.core.byte_sizes import format_size
from mulligan.types.errors import ConfigurationError
from mulligan.types.images import ImageType, StoredImage
from mulligan.types.profiles import ModelProfile

MAX_BYTES = 5_000_000
"""Per image. Anthropic's limit; a request holds a third more characters than the image has bytes."""
MAX_SIDE_PIXELS = 8_000
"""Pixels. Services refuse larger ones; models see them scaled down to a fifth of that."""
MAX_IMAGES = 8
"""Per message."""
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MIN_TOKENS, MAX_TOKENS = 256, 4_096
PIXELS_PER_TOKEN = 750
"""As documented by Anthropic; Qwen's models use 28 by 28. Gemma uses 256 tokens for any image."""

_KNOWN = (
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|chatgpt-4o|o[34](?:-|$)|claude-|gemini-|gemma-?3n?-(?!270m|1b)|"
    r"qwen-?(?:2|2\.5|3)-?vl|llava|bakllava|pixtral|mistral-small-?3\.[1-9]|mistral-medium-3|"
    r"llama-?3\.2-(?:11b-|90b-)?vision|llama-?4|minicpm-v|internvl|moondream|smolvlm|granite(?:-?3\.\d)?-vision|"
    r"phi-3\.5-vision|phi-4-multimodal|kimi-vl|glm-4\.?[15]?v"
)
"""Names of models that accept images, for servers that don't report it. Other models of the same makers don't."""


def is_image_name(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def read_image(name: str, data: bytes) -> StoredImage:
    """What an image is, by its content. Raises `ConfigurationError` with the reason if no model can be sent it."""
    if len(data) > MAX_BYTES:
        raise ConfigurationError(
            f"{name} has {format_size(len(data))}, an image may have {format_size(MAX_BYTES)}: make it smaller first"
        )
    kind, width, height = _header(data) or (None, 0, 0)
    if kind is None or not width or not height:
        raise ConfigurationError(f"{name} is no image that models take: send a PNG, JPEG, GIF or WebP")
    if max(width, height) > MAX_SIDE_PIXELS:
        raise ConfigurationError(
            f"{name} has {width} x {height} pixels, and a side has at most {MAX_SIDE_PIXELS}: make it smaller first"
        )
    digest = hashlib.sha256(data).hexdigest()
    return StoredImage(digest=digest, media_type=kind, width=width, height=height, size=len(data))


def image_words(image: StoredImage) -> str:
    kind = image.media_type.removeprefix("image/").upper()
    return f"image, {image.width} x {image.height}, {kind}, {format_size(image.size)}"


def image_tokens(image: StoredImage) -> int:
    """Tokens it takes of a context. Every model counts differently; a high guess is the safe one."""
    return min(MAX_TOKENS, max(MIN_TOKENS, image.width * image.height // PIXELS_PER_TOKEN))


def takes_images(profile: ModelProfile, *, own: bool | None) -> bool | None:
    """Whether a model accepts images: by the user's setting, by the server or a probe, else by its name. None: not
    known."""
    if own is not None:
        return own
    if profile.images is not None:
        return profile.images
    name = profile.model.lower().rpartition("/")[2].replace(":", "-")
    return True if re.match(_KNOWN, name) else None


def refusal(model: str, *, takes: bool | None) -> str:
    """Why a message with an image is not sent."""
    if takes is None:
        return (
            f"it is not known whether {model} takes images, so nothing was sent: `mulligan models probe` finds out, "
            f'or say so with images = true in [models."{model}"] of your settings'
        )
    return (
        f"{model} does not take images, so nothing was sent: choose a model that does, or leave the image out. If it "
        f'does after all, say so with images = true in [models."{model}"] of your settings'
    )


def _header(data: bytes) -> tuple[ImageType, int, int] | None:
    """The type, the width and the height from its first bytes."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return "image/png", *struct.unpack(">II", data[16:24])
        if data.startswith((b"GIF87a", b"GIF89a")):
            return "image/gif", *struct.unpack("<HH", data[6:10])
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp(data)
    except struct.error:  # it ends too early
        return None
    return None


def _jpeg(data: bytes) -> tuple[ImageType, int, int] | None:
    """The size is in the frame's header, after other segments."""
    offset = 2
    while offset + 4 <= len(data) and data[offset] == 0xFF:
        mark = data[offset + 1]
        if mark == 0xFF or 0xD0 <= mark <= 0xD9 or mark == 0x01:  # fill bytes, and markers without a length
            offset += 1 if mark == 0xFF else 2
            continue
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9])
            return "image/jpeg", width, height
        offset += 2 + int(struct.unpack(">H", data[offset + 2 : offset + 4])[0])
    return None


def _webp(data: bytes) -> tuple[ImageType, int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return "image/webp", width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return "image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            low_width, high_width, low_height, high_height = struct.unpack("<HBHB", data[24:30])
            return "image/webp", low_width + (high_width << 16) + 1, low_height + (high_height << 16) + 1
        case _:
            return None
