import asyncio
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.scripted import http11
from mulligan.models.scripted.http11 import BadRequest, take_request
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import serve_script

POST = b"POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"


def test_a_whole_request_is_cut_off_the_front() -> None:
    received = bytearray(POST + b"GET /next")

    request = take_request(received)

    assert request is not None
    assert (request.method, request.path, request.body) == ("POST", "/a", b"hello")
    assert request.headers == {"host": "x", "content-length": "5"}
    assert received == b"GET /next"


@given(cut=st.integers(min_value=0, max_value=len(POST) - 1))
def test_an_unfinished_request_waits_for_the_rest(cut: int) -> None:
    received = bytearray(POST[:cut])

    assert take_request(received) is None
    assert received == POST[:cut]


@pytest.mark.parametrize(
    ("received", "status"),
    [
        pytest.param(b"hello\r\n\r\n", HTTPStatus.BAD_REQUEST, id="no request line"),
        pytest.param(b"GET / HTTP/1.0\r\n\r\n", HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, id="an older version"),
        pytest.param(b"GET / HTTP/1.1\r\nno colon\r\n\r\n", HTTPStatus.BAD_REQUEST, id="no header"),
        pytest.param(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", HTTPStatus.BAD_REQUEST, id="a space before the colon"),
        pytest.param(b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", HTTPStatus.BAD_REQUEST, id="a negative length"),
        pytest.param(
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", HTTPStatus.LENGTH_REQUIRED, id="no length"
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n",
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            id="too large a body",
        ),
        pytest.param(b"x" * (http11.MAX_HEAD + 1), HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, id="too large a head"),
    ],
)
def test_what_is_no_request_is_refused(received: bytes, status: HTTPStatus) -> None:
    with pytest.raises(BadRequest) as caught:
        take_request(bytearray(received))

    assert caught.value.status is status


async def exchange(sent: bytes) -> bytes:
    """All that a server says to these bytes until it hangs up."""
    async with serve_script(Script(replies=())) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.base_url.split(":")[2].split("/")[0]))
        writer.write(sent)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    return answer


async def test_requests_sent_together_are_answered_in_turn() -> None:
    first = b"GET /nowhere HTTP/1.1\r\n\r\n"
    last = b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n"

    answer = await exchange(first + last)

    assert answer.count(b"HTTP/1.1 ") == 2
    assert answer.index(b"404 Not Found") < answer.index(b"200 OK")


async def test_a_client_that_speaks_another_protocol_is_told_and_dropped() -> None:
    assert (await exchange(b"hello\r\n\r\n")).startswith(b"HTTP/1.1 400 Bad Request\r\n")
