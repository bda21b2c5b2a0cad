"""What the server's events mean, taken one by one."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.backends.opencode.feed import MAX_EVENT_BYTES, EventFeed
from mulligan.backends.opencode.permissions import as_request
from mulligan.backends.opencode.turn_reader import ServerTurnReader
from mulligan.types.agents import AgentDone, AgentEvent, AgentReasoning, AgentText, AgentToolUpdate, PermissionRequest
from mulligan.types.tool_calls import JsonObject

BEGAN = 1000


def event(kind: str, **properties: Any) -> JsonObject:
    return {"type": kind, "properties": {"sessionID": "ours", **properties}}


def status(kind: str, **more: Any) -> JsonObject:
    return event("session.status", status={"type": kind, **more})


def message(name: str = "m1", *, role: str = "assistant", created: int = BEGAN, **more: Any) -> JsonObject:
    return event("message.updated", info={"id": name, "role": role, "time": {"created": created}, **more})


def part(name: str, kind: str = "text", *, of: str = "m1", **more: Any) -> JsonObject:
    return event("message.part.updated", part={"id": name, "messageID": of, "type": kind, **more})


def delta(name: str, text: str) -> JsonObject:
    return event("message.part.delta", partID=name, messageID="m1", field="text", delta=text)


def read(*events: JsonObject) -> tuple[ServerTurnReader, list[AgentEvent]]:
    reader = ServerTurnReader("ours", BEGAN)
    return reader, [shown for each in events for shown in reader.read(each)]


TOLD = [
    pytest.param([message(), part("p", text="Hel"), delta("p", "lo")], [AgentText("Hel"), AgentText("lo")], id="text"),
    pytest.param([message(), part("p", text="Hello"), part("p", text="Hello")], [AgentText("Hello")], id="told-twice"),
    pytest.param(
        [message(), part("p", text=""), delta("p", "Hello  "), part("p", text="Hello")], [AgentText("Hello  ")],
        id="trimmed-in-the-end",
    ),
    pytest.param([message(), part("p", "reasoning", text="Hm")], [AgentReasoning("Hm")], id="reasoning"),
    pytest.param([part("p", text="Hello"), message()], [AgentText("Hello")], id="the-part-before-its-message"),
    pytest.param([message(role="user"), part("p", text="the prompt")], [], id="the-prompt-itself"),
    pytest.param([part("p", text="the prompt"), message(role="user")], [], id="the-prompt-before-its-message"),
    pytest.param([message(created=BEGAN - 1), part("p", text="late")], [], id="a-message-of-an-earlier-turn"),
    pytest.param([message(), delta("unknown", "x")], [], id="a-piece-of-nothing"),
    pytest.param(
        [message(), {"type": "message.part.updated", "properties": {"sessionID": "theirs", "part": {"id": "p"}}}], [],
        id="another-session's",
    ),
    pytest.param([message(), part("p", "tool", tool="x", state={"status": "pending"})], [], id="a-call-half-written"),
    pytest.param(
        [status("retry", message="overloaded")],
        [AgentReasoning("The model did not answer, and is asked again: overloaded\n")],
        id="retry",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("events", "told"), TOLD)
def test_events_tell(events: list[JsonObject], told: list[AgentEvent]) -> None:
    assert read(*events)[1] == told


ABORTED = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
API_ERROR = {"name": "APIError", "data": {"message": "401"}}

ENDINGS = [
    pytest.param([status("busy"), status("idle")], AgentDone("finished"), id="status-idle"),
    pytest.param([status("busy"), event("session.idle")], AgentDone("finished"), id="idle"),
    pytest.param([event("session.idle"), status("idle")], None, id="a-late-idle-of-the-turn-before"),
    pytest.param([event("session.idle"), status("busy")], None, id="a-late-idle-and-then-ours-begins"),
    pytest.param(
        [status("busy"), event("session.error", error=API_ERROR), status("idle")], AgentDone("failed", "401"),
        id="error",
    ),
    pytest.param(
        [status("busy"), message(error=API_ERROR), status("idle")], AgentDone("failed", "401"), id="error-of-a-message"
    ),
    pytest.param(
        [status("busy"), message(error=API_ERROR), message("m2"), status("idle")], AgentDone("finished"),
        id="goes-on-after-an-error",
    ),
    pytest.param([status("busy"), message(error=ABORTED), status("idle")], AgentDone("cancelled"), id="aborted"),
    pytest.param(
        [event("session.error", error={"name": "Odd"}), status("busy"), status("idle")], AgentDone("failed", "Odd"),
        id="error-without-words",
    ),
    pytest.param([event("session.deleted")], AgentDone("failed", "Its session was deleted."), id="deleted"),
]  # fmt: skip


@pytest.mark.parametrize(("events", "done"), ENDINGS)
def test_a_turn_ends(events: list[JsonObject], done: AgentDone | None) -> None:
    reader, _ = read(*events)
    assert (reader.close()[-1] if reader.over else None) == done


def test_what_was_missed_is_told_and_its_pieces_are_not_told_again() -> None:
    reader, told = read(message(), part("p", text=""), delta("p", "He"))
    snapshot = {"info": message()["properties"]["info"], "parts": [part("p", text="Hell")["properties"]["part"]]}
    told += reader.catch_up([snapshot])
    for late in (delta("p", "ll"), part("p", text="Hello")):
        told += reader.read(late)
    assert told == [AgentText("He"), AgentText("ll"), AgentText("o")]


def test_calls_that_were_never_closed_are_closed_at_the_end() -> None:
    reader, _ = read(message(), part("p", "tool", tool="bash", state={"status": "running"}))
    assert reader.close("gone") == [AgentToolUpdate("p", "failed"), AgentDone("failed", "gone")]


REQUESTS = [
    pytest.param(
        {"permission": "bash", "patterns": ["rm a", "rm b"], "metadata": {"command": "rm a && rm b"}},
        PermissionRequest("bash: rm a && rm b", "execute", "rm a && rm b", ()),
        id="command",
    ),
    pytest.param(
        {"permission": "bash", "patterns": ["rm a"]}, PermissionRequest("bash: rm a", "execute", "rm a", ()),
        id="command-told-as-a-pattern-only",
    ),
    pytest.param(
        {"permission": "edit", "patterns": ["a.py"], "metadata": {"filepath": "/tree/a.py", "diff": "…"}},
        PermissionRequest("edit: a.py", "edit", None, ("/tree/a.py",)),
        id="edit",
    ),
    pytest.param(
        {"permission": "edit", "patterns": ["a.py", "../b.py"], "metadata": {"filepath": "a.py, ../b.py"}},
        PermissionRequest("edit: a.py, ../b.py", "edit", None, ("a.py", "../b.py")),
        id="patch-of-several-files",
    ),
    pytest.param(
        {"permission": "webfetch", "patterns": ["http://x"], "metadata": {"url": "http://x"}},
        PermissionRequest("webfetch: http://x", "fetch", None, ()),
        id="fetch",
    ),
    pytest.param(
        {"permission": "external_directory", "patterns": ["/etc/*"], "metadata": {"filepath": "/etc/passwd"}},
        PermissionRequest("external_directory: /etc/*", "external_directory", None, ("/etc/passwd",)),
        id="outside-its-folder",
    ),
    pytest.param({}, PermissionRequest("", "", None, ()), id="nothing-told"),
    pytest.param(
        {"permission": "bash", "patterns": 5, "metadata": []}, PermissionRequest("bash", "execute", None, ()),
        id="another-shape",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "request_"), REQUESTS)
def test_a_permission_is_put_into_words(asked: JsonObject, request_: PermissionRequest) -> None:
    assert as_request(asked) == request_


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
kinds = st.sampled_from([
    "message.updated", "message.part.updated", "message.part.delta", "session.status", "session.error",
    "session.created", "todo.updated", "permission.asked",
])  # fmt: skip
properties = st.dictionaries(st.sampled_from(["info", "part", "status", "error", "todos", "partID"]), json_values)


@given(kinds, properties)
def test_no_event_is_too_odd_to_be_read(kind: str, odd: JsonObject) -> None:
    reader, _ = read(event(kind, **odd))
    assert isinstance(reader.close()[-1], AgentDone)


async def bytes_of(*chunks: bytes) -> AsyncGenerator[bytes]:
    for chunk in chunks:
        yield chunk


async def test_events_are_read_until_the_connection_ends() -> None:
    feed = EventFeed(bytes_of(b'data: {"type": "a",\r\ndata:  "text": "\xc3', b'\xa9"}\r\n\r\n: beat\n\ndata: 5\n\n'))
    assert [await feed.next(), await feed.next()] == [{"type": "a", "text": "\u00e9"}, None]


async def test_an_event_that_is_too_long_ends_the_connection() -> None:
    line = b"data: {" + b"x" * 1_000_000 + b"\n"
    feed = EventFeed(bytes_of(b'data: {"type": "a"}\n\n', *[line] * (MAX_EVENT_BYTES // 1_000_000 + 2)))
    assert [await feed.next(), await feed.next()] == [{"type": "a"}, None]
