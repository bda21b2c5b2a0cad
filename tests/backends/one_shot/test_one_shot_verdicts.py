"""How a turn ended: the agent's own word counts, not the exit code."""

import json

import pytest

from mulligan.backends.one_shot.turn_reader import CommandTurnReader
from mulligan.types.agents import AgentDone, StreamFormat
from mulligan.types.tool_calls import JsonObject

OK: JsonObject = {"type": "result", "subtype": "success", "is_error": False, "result": "done"}
REJECTED: JsonObject = {
    "type": "tool_use",
    "sessionID": "s",
    "part": {"id": "p", "tool": "bash", "state": {"status": "error", "error": "The user rejected permission"}},
}


@pytest.mark.parametrize(
    ("stream", "lines", "code", "tail", "done"),
    [
        pytest.param("claude", [OK], 0, "", AgentDone("finished"), id="said-and-exited"),
        pytest.param("claude", [OK], 1, "warning", AgentDone("finished"), id="a-bad-exit-does-not-undo-a-word"),
        pytest.param("claude", [OK], None, "", AgentDone("finished"), id="said-but-had-to-be-ended"),
        pytest.param(
            "claude", [], 0, "", AgentDone("failed", "it ended (exit code 0) without reporting success."),
            id="exit-0-alone-is-no-success",
        ),
        pytest.param(
            "claude", [], 127, "node: not found",
            AgentDone("failed", "it ended (exit code 127) without reporting success: node: not found"),
            id="what-it-complained-of-is-told",
        ),
        pytest.param(
            "codex", [], -9, "", AgentDone("failed", "it ended (SIGKILL) without reporting success."), id="killed"
        ),
        pytest.param(
            "opencode", [REJECTED], 0, "noise",
            AgentDone("failed", "it ended (exit code 0) without reporting success: The user rejected permission"),
            id="stopped-in-the-middle-by-a-refusal",
        ),
        pytest.param(
            "goose", [{"type": "error"}], 1, "401", AgentDone("failed", "401"), id="an-ending-without-words-gets-some"
        ),
        pytest.param("text", ["Applied edit to a.py"], 0, "", AgentDone("finished"), id="text-has-only-the-exit-code"),
        pytest.param(
            "text", ["Error"], 2, "", AgentDone("failed", "it ended (exit code 2) without reporting success."),
            id="text-and-a-bad-exit",
        ),
        pytest.param(
            "text", [], 0, "", AgentDone("failed", "it ended (exit code 0) without reporting success."),
            id="text-that-says-nothing-did-nothing",
        ),
    ],
)  # fmt: skip
def test_a_verdict(
    stream: StreamFormat, lines: list[JsonObject | str], code: int | None, tail: str, done: AgentDone
) -> None:
    reader = CommandTurnReader(stream)
    for line in lines:
        reader.read(line.encode() if isinstance(line, str) else json.dumps(line).encode())
    assert reader.verdict("it", code, tail) == done
