"""Who and what is refused before the application sees it."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from mulligan.runtime.serving.token import Buckets, TokenGate, kept_digest, make_token, token_file
from mulligan.server.access.middleware import COOKIE, MAX_BODY_BYTES, AccessPolicy, with_access_checks
from mulligan.server.app import make_app
from mulligan.types.errors import ConfigurationError
from tests.patience import PATIENCE
from tests.server.server_process import Served, serving

HOST = "127.0.0.1:8383"
READ = "/api/openapi.json"
"""Needs no server state."""
ANYTHING = {"token": "anything"}


@cache
def description() -> dict[str, Any]:
    """The response to `READ`. Building it takes longer than everything else here."""
    return make_app().openapi()


def client_of(guard: AccessPolicy, *, host: str = HOST) -> httpx2.AsyncClient:
    app = make_app(gate=guard.gate)
    vars(app)["openapi"] = description
    transport = httpx2.ASGITransport(app=with_access_checks(app, guard))
    return httpx2.AsyncClient(transport=transport, base_url=f"http://{host}")


@pytest.fixture
async def open_door() -> AsyncGenerator[httpx2.AsyncClient]:
    async with client_of(AccessPolicy(names=("box.example",))) as client:
        yield client


@pytest.fixture
def token(tmp_path: Path) -> str:
    return make_token(tmp_path)


@pytest.fixture
async def closed_door(tmp_path: Path, token: str) -> AsyncGenerator[httpx2.AsyncClient]:
    assert token
    async with client_of(AccessPolicy(TokenGate(kept_digest(tmp_path)))) as client:
        yield client


def refused(answer: httpx2.Response, status: int) -> str:
    """The words of a refusal."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    words: str = answer.json()["error"]
    return words


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("127.0.0.1:8383", id="its address"),
        pytest.param("localhost:8383", id="localhost"),
        pytest.param("LOCALHOST:8383", id="upper case"),
        pytest.param("[::1]:8383", id="IPv6"),
        pytest.param("localhost:9000", id="another port, as a tunnel has it"),
        pytest.param("localhost", id="no port"),
        pytest.param("box.example:8383", id="a name that was allowed"),
        pytest.param("box.example.", id="the same with a dot at the end"),
    ],
)
async def test_a_host_that_is_known_is_let_in(open_door: httpx2.AsyncClient, host: str) -> None:
    assert (await open_door.get(READ, headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("evil.example:8383", id="a name that leads here (DNS rebinding)"),
        pytest.param("evil.example", id="no port"),
        pytest.param("127.0.0.1.evil.example:8383", id="begins like an address"),
        pytest.param("localhost.evil.example", id="begins like localhost"),
        pytest.param("evil.example/localhost", id="a path"),
        pytest.param("localhost@evil.example", id="a user"),
        pytest.param("192.168.0.7:8383", id="an address under which nobody reached us"),
        pytest.param("[::1", id="no host at all"),
        pytest.param("", id="empty"),
    ],
)
@pytest.mark.parametrize("path", ["/", READ])
async def test_a_forged_host_is_refused(open_door: httpx2.AsyncClient, host: str, path: str) -> None:
    assert "--allow-host" in refused(await open_door.get(path, headers={"Host": host}), 403)


async def test_the_address_at_which_it_was_reached_is_known() -> None:
    async with client_of(AccessPolicy(), host="192.168.0.7:8383") as client:
        assert (await client.get(READ)).status_code == 200


async def test_so_is_one_of_ipv4_where_a_socket_of_ipv6_took_it() -> None:
    app = with_access_checks(make_app(), AccessPolicy())

    async def taken(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "server": ("::ffff:192.168.0.7", 8383)}, receive, send)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=taken), base_url="http://192.168.0.7") as client:
        assert (await client.get(READ)).status_code == 200
        assert (await client.get(READ, headers={"Host": "192.168.0.8"})).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        pytest.param(None, id="none, so no browser"),
        pytest.param(f"http://{HOST}", id="our own"),
        pytest.param(f"https://{HOST}", id="our own behind TLS"),
    ],
)
async def test_our_own_page_may_change_things(open_door: httpx2.AsyncClient, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    assert (await open_door.post("/api/login", json=ANYTHING, headers=headers)).status_code == 204


@pytest.mark.parametrize(
    "origin",
    [
        pytest.param("https://evil.example", id="another site"),
        pytest.param("http://127.0.0.1:3000", id="another port of this machine"),
        pytest.param("http://localhost:8383", id="another name of this machine"),
        pytest.param("null", id="null, as a sandboxed frame has it"),
        pytest.param("file://", id="a file"),
        pytest.param(f"chrome-extension://{HOST}", id="another scheme"),
        pytest.param("", id="empty"),
    ],
)
async def test_a_page_of_another_origin_is_refused(open_door: httpx2.AsyncClient, origin: str) -> None:
    answer = await open_door.post("/api/login", json=ANYTHING, headers={"Origin": origin})
    assert "other sites" in refused(answer, 403)


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)]
)
async def test_another_site_may_not_make_it_work_by_reading(
    open_door: httpx2.AsyncClient, site: str, status: int
) -> None:
    assert (await open_door.get(READ, headers={"Sec-Fetch-Site": site})).status_code == status


async def test_a_link_from_another_site_leads_to_the_page(open_door: httpx2.AsyncClient) -> None:
    assert (await open_door.get("/", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200


async def test_a_socket_is_for_our_own_page_alone(served: Served) -> None:
    address = served.url.replace("http", "ws", 1) + "/api/socket"
    forged = address.replace("127.0.0.1", "evil.example")
    for url, origin in ((address, "https://evil.example"), (address, "null"), (forged, served.url)):
        with pytest.raises(InvalidStatus) as answer:
            await connect(url, origin=Origin(origin), host="127.0.0.1", port=served.process.port, proxy=None)
        assert answer.value.response.status_code == 403
    async with served.socket(headers={"Origin": served.url}) as page:
        assert (await page.message())["type"] == "hello"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="none"),
        pytest.param({"Authorization": "Bearer wrong"}, id="a wrong one"),
        pytest.param({"Authorization": "Bearer"}, id="an empty one"),
        pytest.param({"Authorization": "Basic TOKEN"}, id="by another scheme"),
        pytest.param({"Cookie": f"{COOKIE}=wrong"}, id="a wrong cookie"),
        pytest.param({"Cookie": "other=TOKEN"}, id="another cookie"),
        pytest.param({"Cookie": "\x01;=;;"}, id="no cookie at all"),
    ],
)
async def test_without_the_token_nothing_is_told(
    closed_door: httpx2.AsyncClient, token: str, headers: dict[str, str]
) -> None:
    filled = {name: value.replace("TOKEN", token) for name, value in headers.items()}
    assert "log in" in refused(await closed_door.get(READ, headers=filled), 401)


async def test_a_program_sends_the_token_itself(closed_door: httpx2.AsyncClient, token: str) -> None:
    assert (await closed_door.get(READ, headers={"Authorization": f"Bearer {token}"})).status_code == 200


async def test_a_browser_gets_a_cookie_for_the_token(closed_door: httpx2.AsyncClient, token: str) -> None:
    answer = await closed_door.post("/api/login", json={"token": token})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie  # plain HTTP: a browser would not send it back
    assert (await closed_door.get(READ)).status_code == 200


async def test_behind_tls_the_cookie_is_for_tls_alone(closed_door: httpx2.AsyncClient, token: str) -> None:
    answer = await closed_door.post(f"https://{HOST}/api/login", json={"token": token})
    assert "Secure" in answer.headers["set-cookie"]


async def test_a_wrong_token_gives_no_cookie(closed_door: httpx2.AsyncClient) -> None:
    answer = await closed_door.post("/api/login", json={"token": "wrong"})
    assert "not the token" in refused(answer, 401)
    assert "set-cookie" not in answer.headers


async def test_where_no_token_is_asked_for_none_is_kept(open_door: httpx2.AsyncClient) -> None:
    answer = await open_door.post("/api/login", json=ANYTHING)
    assert "set-cookie" not in answer.headers


async def test_the_page_itself_needs_no_token(closed_door: httpx2.AsyncClient) -> None:
    assert (await closed_door.get("/login")).status_code == 200


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nowhere", "/api/socket", "//api/openapi.json"])
async def test_no_spelling_of_the_api_goes_around_the_door(closed_door: httpx2.AsyncClient, path: str) -> None:
    answer = await closed_door.get(f"http://{HOST}{path}")
    assert answer.status_code == 401 or "openapi" not in answer.text.split("<p>")[0]
    assert "paths" not in answer.text


async def test_tokens_cannot_be_tried_in_a_row(tmp_path: Path, token: str) -> None:
    gate = TokenGate(kept_digest(tmp_path), Buckets(size=2, a_second=0.1, clock=lambda: 0.0))
    async with client_of(AccessPolicy(gate)) as client:
        tried = [await client.post("/api/login", json={"token": word}) for word in ("a", "b", token)]
    assert [each.status_code for each in tried] == [401, 401, 429]
    assert tried[2].headers["Retry-After"] == "10"


def test_the_token_is_kept_as_a_hash_that_only_its_owner_can_read(tmp_path: Path) -> None:
    token = make_token(tmp_path / "home")
    file = token_file(tmp_path / "home")
    assert file.stat().st_mode & 0o777 == 0o600
    assert token not in file.read_text()
    assert TokenGate(kept_digest(tmp_path / "home")).admits(token)


def test_a_new_token_voids_the_one_before(tmp_path: Path) -> None:
    before, after = make_token(tmp_path), make_token(tmp_path)
    gate = TokenGate(kept_digest(tmp_path))
    assert (gate.admits(before), gate.admits(after), gate.admits(None), gate.admits("\ud800")) == (
        False,
        True,
        False,
        False,
    )


def test_a_file_that_holds_no_hash_opens_no_door(tmp_path: Path) -> None:
    token_file(tmp_path).write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="--new-token"):
        kept_digest(tmp_path)


async def test_a_body_that_is_too_large_is_refused(open_door: httpx2.AsyncClient) -> None:
    answer = await open_door.post("/api/login", json={"token": "x" * MAX_BODY_BYTES})
    assert "1 MB" in refused(answer, 413)


async def test_a_body_that_never_says_its_length_is_refused_too(open_door: httpx2.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b'{"token": "'
        while True:
            yield b"x" * 65_536

    answer = await open_door.post("/api/login", content=endless(), headers={"Content-Type": "application/json"})
    assert "1 MB" in refused(answer, 413)


async def test_a_body_in_chunks_arrives_whole(open_door: httpx2.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b'{"to', b'ken": ', b'"a"}'):
            yield piece

    answer = await open_door.post("/api/login", content=pieces(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 204


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_a_body_must_say_that_it_is_json(open_door: httpx2.AsyncClient, kind: str) -> None:
    answer = await open_door.post("/api/login", content=json.dumps(ANYTHING), headers={"Content-Type": kind})
    assert "application/json" in refused(answer, 415)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("{", "the body is not valid JSON", id="broken"),
        pytest.param("{}", "token: Field required", id="a field is missing"),
        pytest.param('{"token": ""}', "token: String should have at least 1 character", id="a field is empty"),
        pytest.param('{"token": "a", "b": 1}', "b: Extra inputs are not permitted", id="a field too many"),
        pytest.param('{"b": 1}', "token: Field required (and 1 more)", id="two things"),
        pytest.param('{"token": "\\ud800"}', "token: ", id="half of a surrogate pair"),
    ],
)
async def test_what_is_not_valid_is_told_in_a_sentence(open_door: httpx2.AsyncClient, body: str, words: str) -> None:
    answer = await open_door.post("/api/login", content=body, headers={"Content-Type": "application/json"})
    assert refused(answer, 422).startswith(words)


async def test_what_was_sent_is_not_repeated(open_door: httpx2.AsyncClient) -> None:
    answer = await open_door.post("/api/login", json={"token": "secret" * 100})
    assert "secret" not in refused(answer, 422)


async def test_a_client_that_changes_things_too_fast_is_slowed_down() -> None:
    guard = AccessPolicy(changing=Buckets(size=2, a_second=0.5, clock=lambda: 0.0))
    async with client_of(guard) as client:
        answers = [await client.post("/api/login", json=ANYTHING) for _ in range(3)]
        read = await client.get(READ)
    assert [each.status_code for each in answers] == [204, 204, 429]
    assert answers[2].headers["Retry-After"] == "2"
    assert "2 s" in refused(answers[2], 429)
    assert read.status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), (READ, 200), ("/api/nowhere", 404), ("/assets/none.js", 404)],
)
async def test_every_answer_tells_a_browser_to_be_careful(
    open_door: httpx2.AsyncClient, path: str, status: int
) -> None:
    answer = await open_door.get(path)
    assert answer.status_code == status
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers.get("Cache-Control", "") == ("no-store" if path.startswith("/api") else "") or path == "/"


async def test_only_the_page_of_a_diagram_may_be_framed_and_it_reaches_nothing(open_door: httpx2.AsyncClient) -> None:
    answer = await open_door.get("/assets/diagram-none.html")
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert {"default-src 'none'", "frame-ancestors 'self'", "sandbox allow-scripts"} <= set(policy)
    assert not [rule for rule in policy if ("'self'" in rule or "http" in rule) and not rule.startswith("frame-anc")]
    for path in ("/", "/assets/diagram-none.js", "/diagram-none.html", "/api/assets/diagram-none.html"):
        other = await open_door.get(path)
        assert other.headers["X-Frame-Options"] == "DENY"
        assert "frame-src 'self';" in other.headers["Content-Security-Policy"]


async def test_a_refusal_tells_it_too(open_door: httpx2.AsyncClient) -> None:
    answer = await open_door.get("/", headers={"Host": "evil.example"})
    assert answer.headers["X-Frame-Options"] == "DENY"


async def test_on_another_host_the_token_is_shown_once_and_asked_for(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with serving(project, home, "--host", "0.0.0.0") as process:  # noqa: S104 - what is tested
        token = (await process.line()).rsplit(" ", 1)[1].strip()
        async with httpx2.AsyncClient(base_url=process.url, timeout=PATIENCE) as client:
            assert (await client.get("/api/frames")).status_code == 401
            headers = {"Authorization": f"Bearer {token}"}
            assert (await client.get("/api/frames", headers=headers)).status_code == 200
        with pytest.raises(InvalidStatus) as answer:
            await connect(process.url.replace("http", "ws", 1) + "/api/socket", proxy=None)
        assert answer.value.response.status_code == 401
        async with connect(
            process.url.replace("http", "ws", 1) + "/api/socket", additional_headers=headers, proxy=None
        ) as socket:
            hello: dict[str, Any] = json.loads(await socket.recv())
            assert hello["type"] == "hello"
    async with serving(project, home, "--host", "0.0.0.0") as again:  # noqa: S104 - what is tested
        async with httpx2.AsyncClient(base_url=again.url, timeout=PATIENCE) as client:
            assert (await client.get("/api/frames", headers=headers)).status_code == 200
        assert await again.end() == (0, "", "")
    everything = [file.read_bytes() for file in home.rglob("*") if file.is_file()]
    assert everything
    assert not any(token.encode() in each for each in everything)
