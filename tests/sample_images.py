"""Small images for tests."""

import struct
import zlib


def png(width: int = 4, height: int = 3, pixel: bytes = b"\xff\x00\x00") -> bytes:
    rows = (b"\0" + pixel * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    whole = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(whole)


GIF = b"GIF89a" + struct.pack("<HH", 20, 10) + b"\0" * 8
JPEG = (
    b"\xff\xd8\xff\xe0"
    + struct.pack(">H", 6)
    + b"JFIF"
    + b"\xff\xff\xc2"
    + struct.pack(">HBHH", 11, 8, 30, 40)
    + b"\0\xff\xd9"
)
WEBP_LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 50, 60) + b"\0" * 4
WEBP_LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (7 - 1) | ((9 - 1) << 14)) + b"\0"
WEBP_EXTENDED = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + struct.pack("<HBHB", 99, 0, 199, 0)
