"""The page: files that were built from `web/`."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

BUILT = Path(__file__).parent.parent / "page"
FOR_EVER = "public, max-age=31536000, immutable"
"""The name of an asset changes with its content."""

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
def page(path: str) -> Response:
    """A file of the page; the page itself for every other path, since it finds its way by the address."""
    if path == "api" or path.startswith("api/"):
        raise HTTPException(404)
    file = _file(path)
    if file:
        return FileResponse(file, headers={"Cache-Control": FOR_EVER if path.startswith("assets/") else "no-cache"})
    if path.startswith("assets/"):
        raise HTTPException(404)  # of an older build: to take the page for a script would help nobody
    index = _file("index.html")
    return FileResponse(index, headers={"Cache-Control": "no-cache"}) if index else HTMLResponse(NOT_BUILT)


def _file(path: str) -> Path | None:
    """The file of that name, if it lies in the folder of the page and nowhere else."""
    try:
        real = (BUILT / path).resolve()
        return real if real.is_relative_to(BUILT.resolve()) and real.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None
