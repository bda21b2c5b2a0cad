import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.scripted.model import Script, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.models.wire.server_errors import retry_after_seconds
from mulligan.types.errors import (
    ConfigurationError,
    ModelError,
    ModelOverloaded,
    ModelRejected,
    ModelUnreachable,
    ReplyCutOff,
)
from mulligan.types.model_io import ModelRequest, UserText

HELLO = ModelRequest((UserText("hello"),))


async def failure(base_url: str, **options: Any) -> ModelError:
    """The error that a request to this address ends in."""
    model = OpenAIChat(base_url, "some-model", **options)
    try:
        with pytest.raises(ModelError) as caught:
            async for _ in model.stream(HELLO):
                pass
    finally:
        await model.aclose()
    return caught.value


async def failure_for(reply: ScriptedReply, **options: Any) -> ModelError:
    async with serve_script(Script(replies=(reply,))) as server:
        return await failure(server.base_url, **options)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        pytest.param(307, ModelRejected, id="307"),
        pytest.param(400, ModelRejected, id="400"),
        pytest.param(401, ModelRejected, id="401"),
        pytest.param(403, ModelRejected, id="403"),
        pytest.param(404, ModelRejected, id="404"),
        pytest.param(408, ModelOverloaded, id="408"),
        pytest.param(409, ModelOverloaded, id="409"),
        pytest.param(413, ModelRejected, id="413"),
        pytest.param(422, ModelRejected, id="422"),
        pytest.param(425, ModelOverloaded, id="425"),
        pytest.param(429, ModelOverloaded, id="429"),
        pytest.param(500, ModelOverloaded, id="500"),
        pytest.param(502, ModelOverloaded, id="502"),
        pytest.param(503, ModelOverloaded, id="503"),
        pytest.param(529, ModelOverloaded, id="529, which has no name"),
    ],
)
async def test_an_http_error_says_whether_asking_again_may_help(status: int, kind: type[ModelError]) -> None:
    error = await failure_for(ScriptedReply(status=status, body="for a reason"))

    assert type(error) is kind
    assert str(status) in str(error)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        pytest.param({"error": {"message": "the prompt is too long"}}, "the prompt is too long.", id="OpenAI"),
        pytest.param({"error": "the prompt is too long"}, "the prompt is too long.", id="Ollama"),
        pytest.param({"message": "the prompt is too long"}, "the prompt is too long.", id="message"),
        pytest.param({"detail": "the prompt is too long"}, "the prompt is too long.", id="detail"),
        pytest.param({"detail": [{"msg": "field required"}]}, "field required.", id="details"),
        pytest.param({"error": {"message": "x" * 999}}, "x" * 300 + "…", id="shortened"),
        pytest.param({"error": {"message": "red\x1b[31m\nline"}}, "red [31m line.", id="harmless to a terminal"),
    ],
)
async def test_the_servers_own_words_are_shown(body: Any, shown: str) -> None:
    error = await failure_for(ScriptedReply(status=400, body=body))

    assert str(error).endswith(f"refused the request (400): {shown}")


async def test_a_web_page_is_not_shown() -> None:
    error = await failure_for(ScriptedReply(status=502, body="<html><body>Bad Gateway</body></html>"))

    assert str(error).endswith("can't answer now (502).")


async def test_a_web_page_in_place_of_a_reply_points_to_the_address(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\r\n<html>"
    async with byte_server(page) as server:
        error = await failure(server.base_url)

    assert isinstance(error, ModelRejected)
    assert "Check base_url" in str(error)


async def test_a_huge_error_body_is_read_only_in_part(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 999999999\r\n\r\n"
    async with byte_server(head + b"x" * 100_000, hold_open=True) as server:
        error = await failure(server.base_url)

    assert isinstance(error, ModelRejected)


async def test_an_error_whose_body_never_comes_keeps_its_meaning(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    async with byte_server(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 99\r\n\r\n{") as server:
        error = await failure(server.base_url)

    assert isinstance(error, ModelRejected)
    assert "denied access (401)" in str(error)


async def test_denied_access_without_a_key_says_which_to_set() -> None:
    assert "set MULLIGAN_API_KEY" in str(await failure_for(ScriptedReply(status=401)))


async def test_a_key_that_the_server_echoes_is_not_shown() -> None:
    error = await failure_for(ScriptedReply(status=401, body="wrong key sk-secret-1234"), api_key="sk-secret-1234")

    assert "wrong key [API key]. Check MULLIGAN_API_KEY." in str(error)


async def test_not_found_names_the_path_and_the_model() -> None:
    error = await failure_for(ScriptedReply(status=404))

    assert "/v1/chat/completions" in str(error)
    assert "'some-model'" in str(error)


async def test_a_redirect_names_its_target_and_is_not_followed() -> None:
    reply = ScriptedReply(status=308, headers={"Location": "https://user:secret@example.com/v1/chat/completions"})

    error = await failure_for(reply)

    assert "points to https://example.com/v1/chat/completions (308)" in str(error)


async def test_a_redirect_to_nonsense_is_told_as_well() -> None:
    assert "can't be read" in str(await failure_for(ScriptedReply(status=308, headers={"Location": "http://[oops"})))


async def test_a_used_up_quota_is_not_worth_another_try() -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}

    assert isinstance(await failure_for(ScriptedReply(status=429, body=body)), ModelRejected)


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        pytest.param(ScriptedReply(status=429, headers={"Retry-After": "7"}), 7.0, id="seconds"),
        pytest.param(ScriptedReply(status=503, headers={"retry-after": "0.5"}), 0.5, id="half a second"),
        pytest.param(
            ScriptedReply(status=429, headers={"Retry-After": formatdate(0, usegmt=True)}), 0.0, id="a date gone by"
        ),
        pytest.param(ScriptedReply(status=429, headers={"Retry-After": "soon"}), None, id="nonsense"),
        pytest.param(ScriptedReply(status=429), None, id="nothing"),
        pytest.param(ScriptedReply(status=503, body="Loading model"), 5.0, id="llama.cpp loads its model"),
    ],
)
async def test_the_wait_that_a_server_asks_for_is_passed_on(reply: ScriptedReply, wait: float | None) -> None:
    error = await failure_for(reply)

    assert isinstance(error, ModelOverloaded)
    assert error.retry_after == wait


def test_a_date_to_come_back_is_counted_from_now() -> None:
    now = float(int(time.time()))

    assert retry_after_seconds(formatdate(now + 90, usegmt=True), now=now) == 90.0


@given(value=st.text() | st.from_regex(r"[0-9]+(\.[0-9]+)?", fullmatch=True))
def test_no_header_breaks_the_reading_of_the_wait(value: str) -> None:
    wait = retry_after_seconds(value, now=0.0)

    assert wait is None or 0 <= wait < float("inf")


async def test_a_refused_connection_names_the_address_and_what_to_check() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        error = await failure(address)

    assert isinstance(error, ModelUnreachable)
    assert str(error) == (
        f"No connection to {address}/chat/completions: connection refused. Is the model server running?"
    )


async def test_an_unknown_host_is_unreachable() -> None:
    error = await failure("http://no-such-host.invalid/v1")

    assert isinstance(error, ModelUnreachable)
    assert "no-such-host.invalid" in str(error)


async def test_a_server_that_takes_no_connection_is_unreachable() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        error = await failure(f"http://127.0.0.1:{full.getsockname()[1]}/v1", connect_timeout=0.005)
        for client in waiting:
            client.close()

    assert isinstance(error, ModelUnreachable)
    assert "took no connection within 0.005 s" in str(error)


@pytest.mark.parametrize(
    ("reply", "limits", "said"),
    [
        pytest.param(
            ScriptedReply(text="never", delay=3600),
            {"first_token_timeout": 0.005},
            "the limit for the first token of the reply to a prompt of about 7 tokens. A slow model may need a longer "
            "first_token_timeout: set MULLIGAN_FIRST_TOKEN_TIMEOUT in seconds.",
            id="before the first byte",
        ),
        pytest.param(
            ScriptedReply(text="a long story", chunk_size=1, hang=2),
            {"idle_timeout": 0.005},
            "the limit for the next token of the reply. A slow model may need a longer idle_timeout: "
            "set MULLIGAN_IDLE_TIMEOUT in seconds.",
            id="in the middle",
        ),
    ],
)
async def test_silence_for_too_long_is_unreachable(reply: ScriptedReply, limits: dict[str, float], said: str) -> None:
    error = await failure_for(reply, **limits)

    assert isinstance(error, ModelUnreachable)
    assert f"was silent for 0.005 s, {said}" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="hangs up at once"),
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n\r\n", id="speaks another protocol"),
        pytest.param(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", id="broken framing"),
    ],
)
async def test_an_answer_that_is_no_http_is_a_cut_off_reply(
    answer: bytes, byte_server: Callable[..., AbstractAsyncContextManager[Any]]
) -> None:
    async with byte_server(answer) as server:
        assert isinstance(await failure(server.base_url), ReplyCutOff)


@pytest.mark.parametrize(
    "base_url",
    [
        pytest.param("", id="empty"),
        pytest.param("localhost:8080/v1", id="no scheme"),
        pytest.param("ftp://localhost/v1", id="another scheme"),
        pytest.param("http:///v1", id="no host"),
        pytest.param("http://localhost:port/v1", id="a port that is no number"),
        pytest.param("http://local host/v1", id="white space"),
        pytest.param("http://[::1/v1", id="half an IPv6 address"),
    ],
)
def test_an_address_that_is_none_is_a_matter_of_configuration(base_url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        OpenAIChat(base_url, "some-model")


async def test_an_address_that_only_looks_like_one_is_a_matter_of_configuration() -> None:
    model = OpenAIChat("http://b\u00fccher\u2025x/v1", "some-model")

    with pytest.raises(ConfigurationError, match="base_url"):
        await anext(model.stream(HELLO))
    await model.aclose()


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk-“quoted”"])
def test_a_key_that_can_not_be_sent_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAIChat("http://localhost/v1", "some-model", api_key=key)

    assert "sk-" not in str(caught.value)


async def test_a_proxy_of_an_unknown_kind_is_a_matter_of_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gopher://proxy.invalid")
    model = OpenAIChat("http://model.invalid/v1", "some-model")

    with pytest.raises(ConfigurationError, match="proxy"):
        await anext(model.stream(HELLO))


async def test_an_error_leaves_the_model_usable() -> None:
    script = Script(
        replies=(ScriptedReply(status=500), ScriptedReply(text="x" * 9, cut_after=0), ScriptedReply(text="fine"))
    )
    async with serve_script(script) as server:
        model = OpenAIChat(server.base_url, "some-model")
        for _ in range(2):
            with pytest.raises(ModelError):
                await asyncio.gather(*[anext(model.stream(HELLO))])
        events = [event async for event in model.stream(HELLO)]
        await model.aclose()

    assert len(events) == 3
