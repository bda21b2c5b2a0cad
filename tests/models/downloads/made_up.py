"""Made-up models, a server in Hugging Face's place, and wheels as PyPI has them."""

import asyncio
import hashlib
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mulligan.models.embedded.catalog import HuggingFaceMirror, Mirror, ModelEntry, PyPIMirror

CONTENT = random.Random(7).randbytes(300_000)
PIECE = 200_000
HUB = HuggingFaceMirror(repo="someone/tiny", file="tiny.gguf")
INDEX = PyPIMirror(package="tiny-model-part{n}", version="0.1.0", count=2, piece=PIECE)


@dataclass(frozen=True)
class Answer:
    """How the server treats one request."""

    status: int = 200
    """200 becomes 206 where a range is asked for."""
    content: bytes = CONTENT
    length: int | None = None
    """The length it promises, if that is not the true one."""
    cut: int | None = None
    """It hangs up after so many bytes of the body."""
    stall: int | None = None
    """It falls silent after so many bytes of the body."""
    location: str | None = None
    ignores_range: bool = False
    wrong_range: bool = False
    midway: Callable[[], None] | None = None
    """Called when half of the body is out."""


class Hub:
    """Answers the n-th request as the n-th answer says, and all others well."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = answers
        self.url = ""
        self.paths: list[str] = []
        self.ranges: list[str | None] = []
        self._writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        answer = self._answers.pop(0) if self._answers else Answer()
        self.paths.append(request.split(" ")[1])
        self.ranges.append(headers.get("range"))
        body = self._write_head(writer, answer, headers.get("range"))
        if answer.midway:
            writer.write(body[: len(body) // 2])
            await writer.drain()
            answer.midway()
            body = body[len(body) // 2 :]
        writer.write(body[: answer.cut if answer.cut is not None else answer.stall])
        await writer.drain()
        if answer.stall is not None:
            await reader.read()

    def _write_head(self, writer: asyncio.StreamWriter, answer: Answer, asked: str | None) -> bytes:
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and not answer.ignores_range else 0
        body = answer.content[start:] if answer.status == 200 else b"no"
        status = 206 if start and answer.status == 200 else answer.status
        head = [f"HTTP/1.1 {status} X", f"content-length: {len(body) if answer.length is None else answer.length}"]
        if status == 206:
            first = 0 if answer.wrong_range else start
            head.append(f"content-range: bytes {first}-{len(answer.content) - 1}/{len(answer.content)}")
        if answer.location is not None:
            head.append(f"location: {answer.location.format(url=self.url)}")
        writer.write("\r\n".join([*head, "connection: close", "", ""]).encode())
        return body


def entry_from(*mirrors: Mirror, content: bytes = CONTENT) -> ModelEntry:
    return ModelEntry(
        name="tiny",
        title="Tiny",
        file="tiny.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        context=1024,
        agency="guided",
        memory=1,
        license="MIT",
        mirrors=mirrors,
    )


def put_wheel(folder: Path, number: int, *, piece: bytes | None = None) -> Path:
    """A wheel that holds the piece of this number, or another one."""
    held = CONTENT[(number - 1) * PIECE : number * PIECE] if piece is None else piece
    name = f"tiny_model_part{number}"
    info = f"{name}-0.1.0.dist-info"
    wheel = folder / f"{name}-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('a wheel was run')\n")
        archive.writestr(f"{name}/data/part{number:02}.bin", held)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-model-part{number}\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel
