"""The page's files, and what is there without them."""

import gzip
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest

from mulligan.server.app import make_app
from mulligan.server.routes import page


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>The page</title>")
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "main-1a2b.js").write_text("start()")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "assets" / "link.txt").symlink_to(tmp_path / "secret.txt")
    monkeypatch.setattr(page, "BUILT", folder)
    return folder


@pytest.fixture
async def browser() -> AsyncGenerator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=make_app())
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8383") as client:
        yield client


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path", ["/", "/p/0123/c/4567", "/login", "/index.html", "/apiary", "/p/%00", "/" + "x" * 5000]
)
async def test_every_address_of_the_page_gives_the_page(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, "The page" in answer.text) == (200, True)
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.usefixtures("built")
async def test_an_asset_is_kept_for_ever(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/assets/main-1a2b.js")
    assert answer.text == "start()"
    assert "javascript" in answer.headers["Content-Type"]
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("accepts", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("identity", None),
        ("", None),
    ],
)
async def test_an_asset_comes_compressed_as_the_browser_takes_it(
    browser: httpx2.AsyncClient, built: Path, accepts: str, encoding: str | None
) -> None:
    program = b"start(); " * 200
    (built / "assets" / "main-3c4d.js").write_bytes(program)
    packed = gzip.compress(program)
    (built / "assets" / "main-3c4d.js.gz").write_bytes(packed)
    (built / "assets" / "main-3c4d.js.br").write_bytes(b"as brotli")
    async with browser.stream("GET", "/assets/main-3c4d.js", headers={"Accept-Encoding": accepts}) as answer:
        sent = b"".join([piece async for piece in answer.aiter_raw()])
    assert answer.headers.get("Content-Encoding") == encoding
    assert "javascript" in answer.headers["Content-Type"]
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert sent == {"br": b"as brotli", "gzip": packed, None: program}[encoding]


@pytest.mark.usefixtures("built")
async def test_the_first_request_of_the_page_is_named_with_it_but_not_where_nobody_is_logged_in(
    browser: httpx2.AsyncClient,
) -> None:
    assert "</api/server>" in (await browser.get("/p/0123")).headers["Link"]
    assert "Link" not in (await browser.get("/login")).headers


@pytest.mark.usefixtures("built")
async def test_another_file_is_asked_for_anew(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/icon.svg")
    assert (answer.text, answer.headers["Cache-Control"]) == ("<svg/>", "no-cache")


@pytest.mark.usefixtures("built")
async def test_an_asset_of_an_older_build_is_not_there(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/assets/main-0000.js")
    assert answer.status_code == 404
    assert "/assets/main-0000.js" in answer.json()["error"]


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/%2e%2e/secret.txt", id="dots"),
        pytest.param("/assets/%2e%2e/%2e%2e/secret.txt", id="dots further down"),
        pytest.param("/..%2fsecret.txt", id="a slash written out"),
        pytest.param("/assets/link.txt", id="a link that leads out"),
        pytest.param("//etc/hostname", id="an absolute path"),
    ],
)
async def test_no_path_leads_out_of_the_page(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(f"http://127.0.0.1:8383{path}")
    assert "secret" not in answer.text.replace("secret.txt", "")
    assert answer.status_code == 404 or "The page" in answer.text


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nowhere"])
async def test_an_unknown_path_of_the_api_is_no_page(browser: httpx2.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.json()) == (404, {"error": f"there is nothing at {path}"})


async def test_a_wrong_method_is_told(browser: httpx2.AsyncClient) -> None:
    answer = await browser.delete("/api/login")
    assert (answer.status_code, answer.json()) == (405, {"error": "/api/login does not support DELETE"})


async def test_without_the_built_page_it_is_said_how_to_get_it(
    browser: httpx2.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "BUILT", tmp_path / "nowhere")
    answer = await browser.get("/p/0123")
    assert answer.status_code == 200
    assert "make web" in answer.text
    assert "Node 20" in answer.text


async def test_the_built_page_can_be_asked_for_its_head(browser: httpx2.AsyncClient, built: Path) -> None:
    answer = await browser.head("/")
    assert (answer.status_code, answer.text) == (200, "")
    assert answer.headers["Content-Length"] == str((built / "index.html").stat().st_size)
