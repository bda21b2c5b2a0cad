"""A valid reply passes byte for byte, however the server writes and cuts its stream."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.proxy.replies import PassOn
from mulligan.core.proxy.switches import Switches
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.server_errors import Endpoint
from mulligan.proxy.openai_wire import ChunkWriter, read_tools
from mulligan.proxy.relay import Relay
from mulligan.proxy.stream_chunks import EventSplitter, read_chunk
from tests.proxy.through_proxy import TOOLS

WORDS = [
    "It",
    " is",
    " in",
    "\n",
    "`one.py`",
    ", as",
    " {",
    "}",
    " [",
    '"a"',
    ": 1",
    "<b>",
    "é",
    "😀",
    "```\n",
    "read",
    "(",
]
prose = st.lists(st.sampled_from(WORDS), max_size=12).map(lambda words: ["Well:", *words, " done."])
paths = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """As llama.cpp, vLLM, Ollama and others write it: other orders of fields, other ends of lines, comments."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": draw(st.sampled_from([None, ""]))}]
    deltas += [{"reasoning_content": piece} for piece in draw(st.lists(st.sampled_from(["Hm", " so"]), max_size=3))]
    calls = draw(st.lists(paths, max_size=3))
    if not calls or draw(st.booleans()):
        deltas += [{"content": piece} for piece in draw(prose)]
    for index, path in enumerate(calls):
        written = json.dumps({"path": path, "all": True}, ensure_ascii=draw(st.booleans()))
        pieces = ["", *cut(written, draw(st.integers(1, 40)))]
        for place, piece in enumerate(pieces):
            begun = {"id": f"c{index}", "type": "function"} if place == 0 else {}
            function = {"name": "read", "arguments": piece} if place == 0 else {"arguments": piece}
            deltas.append({"tool_calls": [{"index": index, **begun, "function": function}]})
    finish = "tool_calls" if calls else draw(st.sampled_from(["stop", "length"]))
    payloads: list[dict[str, Any]] = [
        {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    payloads.append({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if draw(st.booleans()):
        payloads.append({"id": "x", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
    end = draw(st.sampled_from(["\n", "\r\n"]))
    space = draw(st.sampled_from(["", " "]))
    lines = [f"data:{space}{json.dumps(payload)}{end}{end}" for payload in payloads]
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), f": keep-alive{end}{end}")
    return "".join([*lines, f"data: [DONE]{end}{end}"]).encode()


@given(streams(), st.integers(1, 200))
def test_a_valid_stream_is_passed_on_byte_for_byte(stream: bytes, size: int) -> None:
    relay = Relay(read_tools({"tools": TOOLS}), Switches(), ChunkWriter("m"), writes=False)
    splitter, reader = EventSplitter(), ReplyReader(Endpoint("http://127.0.0.1"))
    out, settled = b"", False
    for at in range(0, len(stream), size):
        for raw, values in splitter.feed(stream[at : at + size]):
            out += relay.hear(read_chunk(raw, values, reader, done=splitter.done))
            if relay.finish and not settled:
                settled = True
                assert relay.verdict() == PassOn()
                out += relay.pass_on()
    assert out == stream


@given(prose)
def test_plain_text_is_not_held_back_to_its_end(words: list[str]) -> None:
    """All but a few characters at the end, which may be the beginning of a call, are with the client at once."""
    relay = Relay(read_tools({"tools": TOOLS}), Switches(), ChunkWriter("m"), writes=False)
    reader = ReplyReader(Endpoint("http://127.0.0.1"))
    said = [*words, " And that is the whole of it, as far as I can tell.", " Yes."]
    out = b""
    for word in said:
        payload = {"choices": [{"delta": {"content": word}}]}
        out += relay.hear(read_chunk(json.dumps(payload).encode(), [payload], reader, done=False))
    assert " Yes." in out.decode()
