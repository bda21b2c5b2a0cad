import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.runtime import sse
from mulligan.runtime.sse import SseDecoder, _parsed  # pyright: ignore[reportPrivateUsage] - it is counted
from mulligan.types.errors import ReplyCutOff


def decoded(*chunks: bytes) -> list[Any]:
    decoder = SseDecoder()
    return [value for chunk in chunks for value in decoder.feed(chunk)] + decoder.close()


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b'data: {"a": 1}\n\ndata: {"b": 2}\n\n', id="as the standard has it"),
        pytest.param(b'data:{"a": 1}\n\ndata:{"b": 2}\n\n', id="no space after the colon"),
        pytest.param(b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n', id="CRLF"),
        pytest.param(b'data: {"a": 1}\r\rdata: {"b": 2}\r\r', id="CR alone"),
        pytest.param(b': ping\n\ndata: {"a": 1}\n\n: ping\ndata: {"b": 2}\n\n', id="comments between events"),
        pytest.param(b'event: chunk\nid: 7\ndata: {"a": 1}\nretry: 9\n\ndata: {"b": 2}\n\n', id="other fields"),
        pytest.param(b'data: {"a": 1}\ndata: {"b": 2}\n', id="no blank lines"),
        pytest.param(b'data: {"a": 1}\n\ndata: {"b": 2}', id="no line ending at the end"),
        pytest.param(b'data: {"a":\ndata: 1}\n\ndata: {"b": 2}\n\n', id="one event over two lines"),
        pytest.param(b'\xef\xbb\xbfdata: {"a": 1}\n\ndata: {"b": 2}\n\n', id="byte order mark"),
        pytest.param(b'{"a": 1}\n{"b": 2}\n', id="bare lines of JSON"),
        pytest.param(b'data: ping\ndata: {"a": 1}\n\ndata:\n\ndata: {"b": 2}\n\n', id="data that is no JSON"),
        pytest.param(b'data: {"a": 1}\n\ndata: {"b": 2}\n\ndata: [DONE]\n\ndata: {"c": 3}\n\n', id="more after DONE"),
    ],
)
def test_events_are_read_however_they_are_framed(stream: bytes) -> None:
    assert decoded(stream) == [{"a": 1}, {"b": 2}]


@given(
    payloads=st.lists(st.dictionaries(st.text(), st.text(), max_size=3), max_size=5),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    cuts=st.lists(st.integers(min_value=0, max_value=500)),
)
def test_where_the_chunks_are_cut_makes_no_difference(payloads: list[Any], ending: str, cuts: list[int]) -> None:
    events = (f"data: {json.dumps(payload, ensure_ascii=False)}{ending}{ending}" for payload in payloads)
    stream = "".join(events).encode()
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[start:end] for start, end in pairwise(places)]

    assert decoded(*chunks) == payloads


def test_done_is_remembered() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: [DONE]\n\n")

    assert decoder.done


def test_an_event_of_broken_json_is_a_cut_off_reply() -> None:
    with pytest.raises(ReplyCutOff, match="not valid JSON"):
        decoded(b'data: {"a": 1\n\n')


def test_half_an_event_at_the_end_is_dropped() -> None:
    assert decoded(b'data: {"a": 1}\n\ndata: {"b"') == [{"a": 1}]


def test_an_event_without_end_is_not_kept_for_ever() -> None:
    decoder = SseDecoder(longest=1024)
    decoder.feed(b"x" * 1024)

    with pytest.raises(ReplyCutOff, match="more than"):
        decoder.feed(b"x")


@given(
    lines=st.lists(
        st.sampled_from([b'data: {"a":', b"data: {", b"data: 1", b"data: }", b"data:", b": x", b"{", b"id: 7"])
    ),
    size=st.integers(1, 40),
)
def test_no_byte_is_parsed_more_than_twice(lines: list[bytes], size: int) -> None:
    stream = b"\n".join(lines)
    parsed = 0

    def counting(text: str) -> Any:
        nonlocal parsed
        parsed += len(text)
        return _parsed(text)

    with pytest.MonkeyPatch.context() as patch, suppress(ReplyCutOff):
        patch.setattr(sse, "_parsed", counting)
        decoded(*(stream[at : at + size] for at in range(0, len(stream), size)))

    assert parsed <= 2 * len(stream)


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        pytest.param(b'error: {"code": 500, "message": "oops"}\n\n', {"code": 500, "message": "oops"}, id="JSON"),
        pytest.param(b"error: out of memory\n\n", "out of memory", id="words"),
    ],
)
def test_an_error_field_reads_like_an_error_event(stream: bytes, error: Any) -> None:
    assert decoded(stream) == [{"error": error}]
