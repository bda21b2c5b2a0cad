import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.backends.acp.messages import read_message

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
MESSAGES = st.dictionaries(
    st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]),
    JSON_VALUES | st.sampled_from(["session/update", "session/request_permission"]),
)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"id": 1, "result": {"a": 1}}, id="an answer"),
        pytest.param({"id": "1", "result": None}, id="an answer of nothing"),
        pytest.param({"id": 1, "error": {"code": 1, "message": "no"}}, id="an error"),
        pytest.param({"id": 1, "method": "fs/read_text_file", "params": {}}, id="a request"),
        pytest.param({"method": "session/update", "params": {}}, id="an update"),
    ],
)
def test_messages_pass_as_they_are(message: dict[str, Any]) -> None:
    assert read_message(json.dumps(message).encode()) == message


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"Loading", id="words"),
        pytest.param(b"123", id="a number"),
        pytest.param(b'{"id": 1, "res', id="half"),
        pytest.param(b"{}", id="an empty object"),
        pytest.param(b"\xff\xfe{}", id="not text"),
        pytest.param(b"[" * 200_000, id="too deep"),
        pytest.param(b'{"result": {}}', id="an answer to nobody"),
        pytest.param(b'{"id": {}, "result": {}}', id="an id that is an object"),
        pytest.param(b'{"id": 1, "method": ["a"]}', id="a method that is a list"),
        pytest.param(b'{"method": "session/update"}', id="a notification without parameters"),
    ],
)
def test_noise_is_no_message(line: bytes) -> None:
    assert read_message(line) is None


def test_an_error_that_is_a_text_becomes_an_object() -> None:
    message = read_message(b'{"id": 1, "error": "no credit"}')

    assert message == {"id": 1, "error": {"code": -32603, "message": "no credit"}}


def test_options_of_kinds_that_are_unknown_are_left_out() -> None:
    options = [{"optionId": "a", "kind": "allow_once"}, {"optionId": "b", "kind": "allow_on_mondays"}, 7]
    request = {"id": 1, "method": "session/request_permission", "params": {"options": options}}

    message = read_message(json.dumps(request).encode())

    assert message == {**request, "params": {"options": options[:1]}}


@given(st.binary() | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_no_line_breaks_the_reading(line: bytes) -> None:
    read_message(line)


@given(MESSAGES.map(lambda value: json.dumps(value).encode()))
def test_what_passes_has_the_shape_that_the_sdk_relies_on(line: bytes) -> None:
    message = read_message(line)
    if message is None:
        return
    assert isinstance(message.get("id"), int | str | None)
    if message.get("method") is None:
        assert message["id"] is not None
        assert isinstance(message.get("error"), dict | None)
    else:
        assert isinstance(message["method"], str)
        assert "id" in message or isinstance(message["params"], dict)
