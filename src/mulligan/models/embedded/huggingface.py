"""A file from Hugging Face, or from the mirror in HF_ENDPOINT. Interrupted downloads are resumed."""

import os
import re
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from mulligan import __version__
from mulligan.models.embedded.catalog import HuggingFaceMirror, ModelEntry
from mulligan.models.embedded.download_progress import Downloading, MirrorFailed, Report
from mulligan.models.embedded.part_file import PartFile
from mulligan.models.wire.http_client import is_loopback

if TYPE_CHECKING:
    import httpx2

ENDPOINT = "https://huggingface.co"
CONNECT_TIMEOUT = 5.0
"""Seconds. A mirror that is unreachable by then is skipped."""
IDLE_TIMEOUT = 30.0
MAX_REDIRECTS = 5
MAX_CONNECTIONS = 20
"""How often to resume an interrupted download. A connection that delivers nothing ends it immediately."""


async def fetch_from_huggingface(mirror: HuggingFaceMirror, entry: ModelEntry, part: PartFile, report: Report) -> None:
    """Append what is missing to the part file. Raises `MirrorFailed`."""
    root = (os.environ.get("HF_ENDPOINT") or ENDPOINT).strip().rstrip("/")
    address = f"{root}/{quote(mirror.repo)}/resolve/main/{quote(mirror.file)}"
    await part.resume(report)
    async with _new_client(address) as client:
        for _ in range(MAX_CONNECTIONS):
            begun = part.at
            trouble = await _fetch_once(client, address, entry, part, report)
            if part.at == entry.size:
                return
            if part.at <= begun:
                raise MirrorFailed(trouble)
    raise MirrorFailed(f"broke off the download {MAX_CONNECTIONS} times")


async def _fetch_once(
    client: "httpx2.AsyncClient", address: str, entry: ModelEntry, part: PartFile, report: Report
) -> str:
    """Take what one connection delivers. Returns what ended it, unless that was the end of the file."""
    import httpx2

    if part.at == entry.size:
        return ""
    try:
        response = await _open(client, address, part.at)
        try:
            _make_ready(part, response, entry)
            async with aclosing(response.aiter_raw()) as chunks:
                async for chunk in chunks:
                    part.append(chunk)
                    report(Downloading(part.at, entry.size, "Hugging Face"))
        finally:
            await response.aclose()
    except httpx2.ConnectTimeout:
        return f"can't be reached within {CONNECT_TIMEOUT:g} s"
    except (httpx2.ConnectError, httpx2.ProxyError) as error:
        return f"can't be reached ({error or type(error).__name__})"
    except httpx2.TimeoutException:
        return f"was silent for too long ({IDLE_TIMEOUT:g} s)"
    except httpx2.HTTPError as error:
        return f"broke off the download ({error or type(error).__name__})"
    return "ended the file too early"


async def _open(client: "httpx2.AsyncClient", address: str, offset: int) -> "httpx2.Response":
    """The response that has the file from this byte on, after all redirects."""
    at_home = is_loopback(urlsplit(address).hostname or "")
    address = _safe(address, address, at_home=at_home)
    for _ in range(MAX_REDIRECTS):
        headers = {"range": f"bytes={offset}-"} if offset else {}
        response = await client.send(client.build_request("GET", address, headers=headers), stream=True)
        if not response.has_redirect_location:
            return response
        await response.aclose()
        address = _safe(address, response.headers["location"], at_home=at_home)
    raise MirrorFailed("redirects endlessly")


def _make_ready(part: PartFile, response: "httpx2.Response", entry: ModelEntry) -> None:
    """Check that the response belongs at the end of the part. Raises `MirrorFailed`."""
    if response.status_code == 206:
        content_range = response.headers.get("content-range", "")
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", content_range)
        if not found or int(found[1]) != part.at or found[2] not in ("*", str(entry.size)):
            raise MirrorFailed(
                f"has another file under the name {entry.file} (its range is {content_range or 'missing'})"
            )
    elif response.status_code == 200:
        length = response.headers.get("content-length", str(entry.size))
        if length != str(entry.size):
            raise MirrorFailed(f"has another file under the name {entry.file}: {length} bytes, not {entry.size}")
        part.cut(0)
    elif response.status_code == 404:
        raise MirrorFailed(f"does not have {entry.file} (404)")
    else:
        raise MirrorFailed(f"refused {entry.file} ({response.status_code})")


def _safe(address: str, location: str, *, at_home: bool) -> str:
    """Where the location leads. Only https, unless all of it stays on this machine. Raises `MirrorFailed`."""
    try:
        target = urljoin(address, location)
        parts = urlsplit(target)
        if parts.scheme == "https" or (parts.scheme == "http" and at_home and is_loopback(parts.hostname or "")):
            return target
    except ValueError:
        pass  # not an address at all
    raise MirrorFailed(f"leads to an address that is not https: {location[:200]!r}")


def _new_client(address: str) -> "httpx2.AsyncClient":
    import httpx2

    try:
        return httpx2.AsyncClient(
            headers={"user-agent": f"mulligan/{__version__}", "accept-encoding": "identity"},
            timeout=httpx2.Timeout(IDLE_TIMEOUT, connect=CONNECT_TIMEOUT),
            trust_env=not is_loopback(urlsplit(address).hostname or ""),
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise MirrorFailed(f"can't be reached: an address or a proxy in the environment is wrong ({error})") from error
