"""The probe's image: two colors, one above the other, which can't be guessed without seeing them."""

import base64
import struct
import zlib

from mulligan.core.images import read_image
from mulligan.types.model_io import SentImage

COLORS = ("green", "orange")
_PIXELS = (b"\x00\xa0\x00", b"\xff\x8c\x00")
_SIDE = 64


def two_colored_image() -> SentImage:
    rows = [b"\0" + pixel * _SIDE for pixel in _PIXELS for _ in range(_SIDE // len(_PIXELS))]
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(b"".join(rows))), _chunk(b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
    return SentImage(read_image("probe", data), base64.b64encode(data).decode())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
