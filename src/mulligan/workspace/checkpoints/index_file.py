"""Reads and writes git's index file byte by byte, for the flags that no git command lists or sets.

The layout follows git's `index-format` document: a header of 12 bytes, entries sorted by path and stage, extensions, a
checksum. Each entry has 40 bytes of file status, an object id, flags, more flags if it is extended, and the path.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator

from mulligan.types.frozen import frozen

HEADER = struct.Struct(">4sLL")
STATUS_BYTES = 40
MODE_AT = 24
SIZE_AT = 36

ASSUMED = 0x8000
EXTENDED = 0x4000
STAGE = 0x3000
NAME_LENGTH = 0x0FFF
SKIPPED = 0x4000
INTENDED = 0x2000
"""Like `SKIPPED`, in the extended flags."""

NEEDS_GIT = {b"link", b"sdir"}
"""Extensions without which the entries are not the whole index: git has to expand them first."""


@frozen
class Entry:
    path: bytes
    mode: int
    oid: str
    stage: int = 0
    assumed_unchanged: bool = False
    skipped: bool = False
    intended: bool = False
    status: bytes = b""
    """The file status by which git recognises an unchanged file; empty makes git read the file."""

    @property
    def flagged(self) -> bool:
        return bool(self.stage or self.assumed_unchanged or self.skipped or self.intended)

    @property
    def size(self) -> int:
        return int.from_bytes(self.status[SIZE_AT : SIZE_AT + 4], "big") if self.status else 0


class UnreadableIndex(ValueError):
    """The bytes are not an index in a known format."""


def needs_git(data: bytes, oid_bytes: int) -> bool:
    """Whether the index is split or sparse."""
    if not any(name in data for name in NEEDS_GIT):
        return False
    return bool(_extensions(data, _walk(data, oid_bytes)[1], oid_bytes) & NEEDS_GIT)


def notable_entries(data: bytes, oid_bytes: int) -> list[Entry]:
    """Entries with a flag or a stage, and links to other repositories."""
    # The high half of the mode is 0xE0 only for these links.
    return [entry for entry in entries(data, oid_bytes, only_notable=True) if entry.flagged or entry.mode == 0o160000]


def entries(data: bytes, oid_bytes: int, *, only_notable: bool = False) -> Iterator[Entry]:
    places, _ = _walk(data, oid_bytes, only_notable=only_notable)
    for start, path in places:
        yield _entry(data, start, path, oid_bytes)


def compose(kept: Iterable[Entry], oid_bytes: int) -> bytes:
    """An index of these entries, without extensions: git recreates them."""
    ordered = sorted(kept, key=lambda entry: (entry.path, entry.stage))
    body = bytearray(HEADER.pack(b"DIRC", 3, len(ordered)))
    for entry in ordered:
        body += _packed(entry)
    digest = hashlib.sha1(usedforsecurity=False) if oid_bytes == 20 else hashlib.sha256()
    digest.update(body)
    return bytes(body) + digest.digest()


def _walk(data: bytes, oid_bytes: int, *, only_notable: bool = False) -> tuple[list[tuple[int, bytes]], int]:
    """Where entries start and their paths, and where the last one ends."""
    try:
        signature, version, count = HEADER.unpack_from(data)
        if signature != b"DIRC" or version not in {2, 3, 4}:
            raise UnreadableIndex("unknown signature or version")
        walk = _walk_compressed if version == 4 else _walk_padded
        return walk(data, count, oid_bytes, only_notable)
    except (IndexError, struct.error) as error:
        raise UnreadableIndex("the index is cut off") from error


def _walk_padded(
    data: bytes,
    count: int,
    oid_bytes: int,
    only_notable: bool,  # noqa: FBT001  both walks are called alike
) -> tuple[list[tuple[int, bytes]], int]:
    # Runs for each entry whenever the index has changed, so it is kept fast.
    found: list[tuple[int, bytes]] = []
    flags_at = STATUS_BYTES + oid_bytes
    start = HEADER.size
    for _ in range(count):
        high = data[start + flags_at]
        fixed = flags_at + (4 if high & 0x40 else 2)
        length = (high & 0x0F) << 8 | data[start + flags_at + 1]
        if length == NAME_LENGTH:
            length = data.index(b"\0", start + fixed) - start - fixed
        if not only_notable or high & 0xF0 or data[start + MODE_AT + 2] == 0xE0:
            found.append((start, data[start + fixed : start + fixed + length]))
        start += (fixed + length + 8) & ~7
    return found, start


def _walk_compressed(
    data: bytes,
    count: int,
    oid_bytes: int,
    only_notable: bool,  # noqa: FBT001, ARG001  both walks are called alike
) -> tuple[list[tuple[int, bytes]], int]:
    """Version 4: each path says how many bytes to drop from the end of the previous path, and what to append."""
    found: list[tuple[int, bytes]] = []
    flags_at = STATUS_BYTES + oid_bytes
    start = HEADER.size
    path = b""
    for _ in range(count):
        at = start + flags_at + (4 if data[start + flags_at] & 0x40 else 2)
        dropped = data[at] & 0x7F
        while data[at] & 0x80:
            at += 1
            dropped = (dropped + 1) << 7 | data[at] & 0x7F
        end = data.index(b"\0", at + 1)
        path = path[: len(path) - dropped] + data[at + 1 : end]
        found.append((start, path))
        start = end + 1
    return found, start


def _extensions(data: bytes, start: int, oid_bytes: int) -> set[bytes]:
    found: set[bytes] = set()
    while start + 8 <= len(data) - oid_bytes:
        name, size = struct.unpack_from(">4sL", data, start)
        found.add(name)
        start += 8 + size
    return found


def _entry(data: bytes, start: int, path: bytes, oid_bytes: int) -> Entry:
    flags_at = start + STATUS_BYTES + oid_bytes
    (flags,) = struct.unpack_from(">H", data, flags_at)
    more: int = struct.unpack_from(">H", data, flags_at + 2)[0] if flags & EXTENDED else 0
    return Entry(
        path=path,
        mode=int.from_bytes(data[start + MODE_AT : start + MODE_AT + 4], "big"),
        oid=data[start + STATUS_BYTES : flags_at].hex(),
        stage=(flags & STAGE) >> 12,
        assumed_unchanged=bool(flags & ASSUMED),
        skipped=bool(more & SKIPPED),
        intended=bool(more & INTENDED),
        status=data[start : start + STATUS_BYTES],
    )


def _packed(entry: Entry) -> bytes:
    status = bytearray(entry.status or bytes(STATUS_BYTES))
    status[MODE_AT : MODE_AT + 4] = entry.mode.to_bytes(4, "big")
    more = SKIPPED * entry.skipped | INTENDED * entry.intended
    flags = (
        ASSUMED * entry.assumed_unchanged
        | EXTENDED * bool(more)
        | entry.stage << 12
        | min(len(entry.path), NAME_LENGTH)
    )
    head = (
        bytes(status) + bytes.fromhex(entry.oid) + struct.pack(">H", flags) + (struct.pack(">H", more) if more else b"")
    )
    length = len(head) + len(entry.path)
    return head + entry.path + bytes(((length + 8) & ~7) - length)
