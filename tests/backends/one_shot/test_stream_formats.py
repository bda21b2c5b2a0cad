"""What each format's lines mean. They are as the agents write them, with what does not matter left out."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.backends.one_shot.turn_reader import CommandTurnReader
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
    StreamFormat,
)
from mulligan.types.tool_calls import JsonObject

FORMATS: list[StreamFormat] = ["claude", "codex", "goose", "opencode", "text"]


def assistant(*content: JsonObject, **more: Any) -> JsonObject:
    return {
        "type": "assistant",
        "message": {"role": "assistant", "content": list(content)},
        "parent_tool_use_id": None,
        "session_id": "s1",
        **more,
    }


def tool_result(content: Any, **more: Any) -> JsonObject:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "session_id": "s1"}


def item(kind: str, event: str = "item.completed", **fields: Any) -> JsonObject:
    return {"type": event, "item": {"id": "item_0", "type": kind, **fields}}


def goose(*content: JsonObject, role: str = "assistant", **metadata: Any) -> JsonObject:
    inference = {"inference": {"provider": "openai"}} if not metadata else {}
    message = {"id": "m", "role": role, "content": list(content), "metadata": {"userVisible": True, **inference}}
    return {"type": "message", "message": message}


def part(kind: str, **fields: Any) -> JsonObject:
    return {"type": kind, "sessionID": "ses_1", "part": {"id": "prt_1", "sessionID": "ses_1", **fields}}


EVENTS = [
    pytest.param("claude", {"type": "system", "subtype": "init", "session_id": "s1"}, [], id="claude-init"),
    pytest.param("claude", assistant({"type": "text", "text": "Hello."}), [AgentText("Hello.")], id="claude-text"),
    pytest.param(
        "claude", assistant({"type": "thinking", "thinking": "Hm.", "signature": ""}), [AgentReasoning("Hm.")],
        id="claude-thinking",
    ),
    pytest.param(
        "claude",
        assistant({"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "a.py"}}),
        [AgentToolCall("t1", "Edit", {"file_path": "a.py"})],
        id="claude-call",
    ),
    pytest.param(
        "claude", tool_result("done"), [AgentToolUpdate("t1", "completed", "done")], id="claude-result-as-text"
    ),
    pytest.param(
        "claude",
        tool_result([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], is_error=True),
        [AgentToolUpdate("t1", "failed", "a\n\nb")],
        id="claude-failed-result-in-blocks",
    ),
    pytest.param(
        "claude",
        assistant(
            {"type": "text", "text": "A helper talks."},
            {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}},
            parent_tool_use_id="t1",
        ),
        [AgentToolCall("t2", "Bash", {})],
        id="claude-helper-acts-but-does-not-talk",
    ),
    pytest.param(
        "claude",
        assistant({"type": "text", "text": "Invalid API key"}, is_api_error_message=True),
        [],
        id="claude-error-is-no-answer",
    ),
    pytest.param("claude", {"type": "stream_event", "event": {"type": "goal_state"}}, [], id="qwen-stream-event"),
    pytest.param("codex", item("agent_message", text="Hello."), [AgentText("Hello.")], id="codex-text"),
    pytest.param("codex", item("agent_message", "item.updated", text="Hel"), [], id="codex-half-a-text"),
    pytest.param("codex", item("reasoning", text="**Hm**"), [AgentReasoning("**Hm**")], id="codex-reasoning"),
    pytest.param(
        "codex",
        item("command_execution", "item.started", command="ls", aggregated_output="", status="in_progress"),
        [AgentToolCall("item_0", "ls", {"command": "ls"})],
        id="codex-command-begins",
    ),
    pytest.param(
        "codex",
        item("command_execution", command="ls", aggregated_output="a.py\n", exit_code=0, status="completed"),
        [AgentToolCall("item_0", "ls", {"command": "ls"}), AgentToolUpdate("item_0", "completed", "a.py\n")],
        id="codex-command-of-which-no-beginning-was-told",
    ),
    pytest.param(
        "codex",
        item("command_execution", command="rm x", aggregated_output="", status="declined"),
        [AgentToolCall("item_0", "rm x", {"command": "rm x"}), AgentToolUpdate("item_0", "failed")],
        id="codex-command-declined",
    ),
    pytest.param(
        "codex",
        item("file_change", changes=[{"path": "a.py", "kind": "update"}], status="completed"),
        [
            AgentToolCall("item_0", "edit a.py", {"changes": [{"path": "a.py", "kind": "update"}]}),
            AgentToolUpdate("item_0", "completed"),
        ],
        id="codex-edit",
    ),
    pytest.param(
        "codex",
        item("mcp_tool_call", server="s", tool="t", arguments={"x": 1}, error={"message": "no"}, status="failed"),
        [AgentToolCall("item_0", "s.t", {"x": 1}), AgentToolUpdate("item_0", "failed", "no")],
        id="codex-mcp",
    ),
    pytest.param(
        "codex",
        item("todo_list", "item.updated", items=[{"text": "read", "completed": True}, {"text": "write"}]),
        [AgentPlan(("read", "write"))],
        id="codex-plan",
    ),
    pytest.param(
        "codex", {"type": "error", "message": "Reconnecting... 1/5"}, [AgentReasoning("Reconnecting... 1/5")],
        id="codex-notice",
    ),
    pytest.param("codex", item("something_new", text="x"), [], id="codex-unknown-item"),
    pytest.param("goose", goose({"type": "text", "text": "Hel"}), [AgentText("Hel")], id="goose-text"),
    pytest.param("goose", goose({"type": "text", "text": "hi"}, role="user"), [], id="goose-the-person's-own-text"),
    pytest.param("goose", goose({"type": "thinking", "thinking": "Hm."}), [AgentReasoning("Hm.")], id="goose-thinking"),
    pytest.param(
        "goose",
        goose({
            "type": "toolRequest",
            "id": "c1",
            "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}},
        }),
        [AgentToolCall("c1", "shell", {"command": "ls"})],
        id="goose-call",
    ),
    pytest.param(
        "goose",
        goose({"type": "toolRequest", "id": "c1", "toolCall": {"status": "error", "error": "bad"}}),
        [AgentToolCall("c1", "a call that can't be read", {})],
        id="goose-malformed-call",
    ),
    pytest.param(
        "goose",
        goose(
            {
                "type": "toolResponse",
                "id": "c1",
                "toolResult": {
                    "status": "success",
                    "value": {"content": [{"type": "text", "text": "exit 3"}], "isError": True},
                },
            },
            role="user",
        ),
        [AgentToolUpdate("c1", "failed", "exit 3")],
        id="goose-failed-result",
    ),
    pytest.param(
        "goose",
        goose(
            {
                "type": "toolResponse",
                "id": "c1",
                "toolResult": {"status": "success", "value": [{"type": "text", "text": "ok"}]},
            },
            role="user",
        ),
        [AgentToolUpdate("c1", "completed", "ok")],
        id="goose-result-of-older-ones",
    ),
    pytest.param("goose", {"type": "notification", "extension_id": "x"}, [], id="goose-notification"),
    pytest.param("opencode", part("text", text="Hello."), [AgentText("Hello.")], id="opencode-text"),
    pytest.param("opencode", part("reasoning", text="Hm."), [AgentReasoning("Hm.")], id="opencode-reasoning"),
    pytest.param(
        "opencode",
        part("tool_use", tool="read", state={"status": "completed", "input": {"filePath": "a"}, "output": "1: x"}),
        [AgentToolCall("prt_1", "read", {"filePath": "a"}), AgentToolUpdate("prt_1", "completed", "1: x")],
        id="opencode-tool",
    ),
    pytest.param(
        "opencode",
        part("tool_use", tool="bash", state={"status": "error", "input": {}, "error": "rejected"}),
        [AgentToolCall("prt_1", "bash", {}), AgentToolUpdate("prt_1", "failed", "rejected")],
        id="opencode-failed-tool",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "line", "events"), EVENTS)
def test_a_line_says(stream: StreamFormat, line: JsonObject, events: list[AgentEvent]) -> None:
    assert CommandTurnReader(stream).read(json.dumps(line).encode()) == events


SUCCESS = {"type": "result", "subtype": "success", "is_error": False, "result": "Hello.", "session_id": "s1"}
OWN_WORDS = "Network error: could not connect.\n\nPlease resend your message to try again."

ENDINGS = [
    pytest.param("claude", [SUCCESS], AgentDone("finished"), id="claude-success"),
    pytest.param(
        "claude",
        [{**SUCCESS, "permission_denials": [{"tool_name": "Bash"}, {"tool_name": "Write"}, {"tool_name": "Bash"}]}],
        AgentDone("finished", "It was not allowed to use Bash, Write."),
        id="claude-denied",
    ),
    pytest.param(
        "claude", [{**SUCCESS, "is_error": True, "result": "Invalid API key"}], AgentDone("failed", "Invalid API key"),
        id="claude-success-that-is-an-error",
    ),
    pytest.param(
        "claude",
        [{"type": "result", "subtype": "error_during_execution", "is_error": True, "errors": ["No conversation"]}],
        AgentDone("failed", "No conversation"),
        id="claude-error-in-a-list",
    ),
    pytest.param(
        "claude", [{"type": "result", "subtype": "error_max_turns", "is_error": False}],
        AgentDone("failed", "error max turns"),
        id="claude-error-without-words",
    ),
    pytest.param(
        "claude", [SUCCESS, assistant({"type": "text", "text": "Another."})], None, id="claude-goes-on-after-a-result"
    ),
    pytest.param("codex", [{"type": "turn.completed"}], AgentDone("finished"), id="codex-completed"),
    pytest.param(
        "codex",
        [{"type": "error", "message": "retry"}, {"type": "turn.failed", "error": {"message": "401"}}],
        AgentDone("failed", "401"),
        id="codex-failed",
    ),
    pytest.param("codex", [{"type": "error", "message": "Reconnecting... 1/5"}], None, id="codex-an-error-is-no-end"),
    pytest.param("goose", [{"type": "complete", "total_tokens": 12}], AgentDone("finished"), id="goose-complete"),
    pytest.param(
        "goose", [{"type": "error", "error": "401"}, {"type": "complete"}], AgentDone("failed", "401"),
        id="goose-error-then-complete",
    ),
    pytest.param(
        "goose",
        [goose({"type": "text", "text": OWN_WORDS}, agentVisible=True), {"type": "complete", "total_tokens": 0}],
        AgentDone("failed", OWN_WORDS),
        id="goose-speaks-for-a-model-that-is-not-there",
    ),
    pytest.param(
        "goose",
        [goose({"type": "text", "text": OWN_WORDS}), {"type": "complete"}],
        AgentDone("finished"),
        id="goose-a-model-that-uses-the-same-words",
    ),
    pytest.param("opencode", [part("step_finish", reason="stop")], AgentDone("finished"), id="opencode-stop"),
    pytest.param("opencode", [part("step_finish", reason="tool-calls")], None, id="opencode-in-the-middle"),
    pytest.param(
        "opencode", [part("step_finish", reason="stop"), part("step_start")], None, id="opencode-another-step"
    ),
    pytest.param("opencode", [part("done", reason="idle")], AgentDone("finished"), id="opencode-done"),
    pytest.param(
        "opencode",
        [{"type": "error", "error": {"name": "APIError", "data": {"message": "401"}}}, part("done")],
        AgentDone("failed", "401"),
        id="opencode-error-then-done",
    ),
    pytest.param(
        "opencode", [{"type": "error", "error": {"name": "MessageAbortedError"}}], AgentDone("cancelled"),
        id="opencode-aborted",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "lines", "ending"), ENDINGS)
def test_a_turn_ends(stream: StreamFormat, lines: list[JsonObject], ending: AgentDone | None) -> None:
    reader = CommandTurnReader(stream)
    for line in lines:
        reader.read(json.dumps(line).encode())
    assert reader.ending == ending


@pytest.mark.parametrize(
    ("stream", "line", "session"),
    [
        pytest.param("claude", {"type": "system", "subtype": "init", "session_id": "s1"}, "s1", id="claude"),
        pytest.param("claude", SUCCESS, None, id="claude-a-result-names-what-was-asked-for"),
        pytest.param("codex", {"type": "thread.started", "thread_id": "th1"}, "th1", id="codex"),
        pytest.param("opencode", part("step_start"), "ses_1", id="opencode"),
        pytest.param("goose", {"type": "complete"}, None, id="goose-never-says"),
    ],
)
def test_the_session_is_learnt_from_the_stream(stream: StreamFormat, line: JsonObject, session: str | None) -> None:
    reader = CommandTurnReader(stream)
    reader.read(json.dumps(line).encode())
    assert reader.session == session


def test_a_call_is_announced_once_however_often_it_is_named() -> None:
    reader = CommandTurnReader("codex")
    begin = item("command_execution", "item.started", command="ls")
    end = item("command_execution", command="ls", aggregated_output="a", status="completed")
    events = [event for line in (begin, begin, end) for event in reader.read(json.dumps(line).encode())]
    assert events == [AgentToolCall("item_0", "ls", {"command": "ls"}), AgentToolUpdate("item_0", "completed", "a")]


def test_calls_that_were_never_closed_are_closed_once() -> None:
    reader = CommandTurnReader("codex")
    reader.read(json.dumps(item("command_execution", "item.started", command="ls")).encode())
    assert reader.close("failed") == [AgentToolUpdate("item_0", "failed")]
    assert reader.close("failed") == []


def test_whole_texts_that_follow_each_other_are_paragraphs() -> None:
    reader = CommandTurnReader("claude")
    texts = [reader.read(json.dumps(assistant({"type": "text", "text": text})).encode()) for text in ("One.", "Two.")]
    assert texts == [[AgentText("One.")], [AgentText("\n\nTwo.")]]


def test_text_in_pieces_is_left_as_it_is() -> None:
    reader = CommandTurnReader("goose")
    texts = [reader.read(json.dumps(goose({"type": "text", "text": text})).encode()) for text in ("Hel", "lo", "")]
    assert texts == [[AgentText("Hel")], [AgentText("lo")], []]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param(b"plain", "plain\n", id="plain"),
        pytest.param(b"\x1b[1;32mgreen\x1b[0m \x1b]0;title\x07end", "green end\n", id="colours"),
        pytest.param(b"10 %\r50 %\r100 %\r", "100 %\n", id="progress"),
        pytest.param(b"\xff\x00caf\xc3\xa9\x07", "\ufffdcaf\u00e9\n", id="binary"),
        pytest.param(b'{"type": "result"}', '{"type": "result"}\n', id="json-is-text-too"),
    ],
)
def test_plain_text_is_shown_without_what_only_a_terminal_understands(line: bytes, shown: str) -> None:
    assert CommandTurnReader("text").read(line) == [AgentText(shown)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
kinds = st.sampled_from([
    "assistant", "user", "result", "system", "item.completed", "turn.failed", "error", "message", "complete", "text",
    "tool_use", "step_finish",
])  # fmt: skip
fields = ["message", "item", "part", "error", "content", "type", "state", "subtype", "permission_denials", "errors"]
odd_lines = st.dictionaries(st.sampled_from(fields), json_values, max_size=5).flatmap(
    lambda line: kinds.map(lambda kind: {**line, "type": kind})
)


@pytest.mark.parametrize("stream", FORMATS)
@given(line=odd_lines.map(lambda line: json.dumps(line).encode()) | st.binary(max_size=60))
def test_no_line_is_too_odd_to_be_read(stream: StreamFormat, line: bytes) -> None:
    reader = CommandTurnReader(stream)
    reader.read(line)
    assert isinstance(reader.verdict("it", 1, ""), AgentDone)


@pytest.mark.parametrize(
    "noise", [b"", b"    __( O)>  goose is ready", b"123", b'"text"', b"[1]", b'{"type": "res', b"\xff\xfe"]
)
@pytest.mark.parametrize("stream", ["claude", "codex", "goose", "opencode"])
def test_noise_between_the_lines_says_nothing(stream: StreamFormat, noise: bytes) -> None:
    reader = CommandTurnReader(stream)
    assert reader.read(noise) == []
    assert not reader.has_output
