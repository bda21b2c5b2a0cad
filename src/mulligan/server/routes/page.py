"""The page: files built from `web/`, each also compressed."""

from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

BUILT = Path(__file__).parent.parent / "page"
FOR_EVER = "public, max-age=31536000, immutable"
"""The name of an asset changes with its content."""
LOGIN = "login"
ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""File endings by the encoding's name in a request, best first."""
FIRST_REQUEST = "</api/server>; rel=preload; as=fetch; crossorigin"
"""What the page requests first, so that the browser need not wait for the script; not used on the login page."""

NOT_BUILT = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mulligan</title>
<h1>The page is not built</h1>
<p>Mulligan runs, and so does its API: <a href="/api/openapi.json">/api/openapi.json</a> describes it.
<p>To get the page, install Node 20 or newer, run <code>make web</code> in Mulligan's source folder and load this
again.
The command line works without: <code>mulligan --help</code>.
</html>
"""

router = APIRouter(include_in_schema=False)


@router.api_route("/{path:path}", methods=["GET", "HEAD"])
def page(path: str, request: Request) -> Response:
    """A file of the page; the page itself for every other path, since it does its own routing."""
    if path == "api" or path.startswith("api/"):
        raise HTTPException(404)
    file = _file(path)
    if file and file.name != "index.html":
        return _sent(file, request, {"Cache-Control": FOR_EVER if path.startswith("assets/") else "no-cache"})
    if path.startswith("assets/"):
        raise HTTPException(404)  # of an older build: serving the page as a script would help nobody
    index = _file("index.html")
    if index is None:
        return HTMLResponse(NOT_BUILT)
    early = {} if path == LOGIN else {"Link": FIRST_REQUEST}
    return _sent(index, request, {"Cache-Control": "no-cache", **early})


def _sent(file: Path, request: Request, headers: dict[str, str]) -> Response:
    """The file, or a compressed copy of it if the browser accepts one."""
    kind = guess_type(file.name)[0]
    for encoding in _accepted(request.headers.get("accept-encoding", "")):
        copy = file.with_name(file.name + ENCODINGS[encoding])
        if copy.is_file():
            all_headers = {**headers, "Content-Encoding": encoding, "Vary": "Accept-Encoding"}
            return FileResponse(copy, headers=all_headers, media_type=kind)
    return FileResponse(file, headers={**headers, "Vary": "Accept-Encoding"}, media_type=kind)


def _accepted(header: str) -> list[str]:
    """Which of our encodings a browser accepts. `q=0` means no; other weights are ignored."""
    named: dict[str, bool] = {}
    for each in header.split(","):
        name, _, weight = each.partition(";")
        named[name.strip().lower()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return [encoding for encoding in ENCODINGS if named.get(encoding, False)]


def _file(path: str) -> Path | None:
    """The file of that name, if it is in the page's folder and nowhere else."""
    try:
        real = (BUILT / path).resolve()
        return real if real.is_relative_to(BUILT.resolve()) and real.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None
