"""With 4,096 tokens of context everything still works."""

from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.scripted_server import running


@pytest.fixture
def long_files(mulligan: Command) -> Command:
    for number in range(12):
        lines = [f"def function_{number}_{line}(argument): return argument + {line}" for line in range(400)]
        (mulligan.project / f"long_{number}.py").write_text("\n".join(lines))
    return mulligan


@pytest.mark.parametrize("protocol", ["native", "constrained", "text"])
def test_reading_far_more_than_fits_ends_with_an_answer(protocol: str, long_files: Command) -> None:
    def reading(number: int) -> dict[str, Any]:
        arguments = {"path": f"long_{number}.py"}
        if protocol == "native":
            return {"tool_calls": [{"name": "view_file", "arguments": arguments}]}
        if protocol == "text":
            return {"tool_calls": [{"name": "view_file", "arguments": arguments}], "calls_as": "text"}
        return {"text": f'{{"tool": "view_file", "arguments": {{"path": "long_{number}.py"}}}}'}

    answer = '{"tool": "answer", "text": "In long_3.py."}' if protocol == "constrained" else "In long_3.py."
    replies = [*map(reading, range(12)), {"text": answer}]
    server_style = {"kind": "llama.cpp", "context_length": 4096, "overflow": "refuse"}
    with running(Script.model_validate({"replies": replies, "server_style": server_style})) as server:
        done = long_files.ask(server.base_url, "--protocol", protocol)
        assert len(server.requests()) == 13
    assert (done.end["stop_reason"], done.end["steps"], done.code) == ("answered", 13, 0)
    said = "".join(frame["text"] for frame in done.frames if frame["type"] == "text_delta")
    assert said.endswith("In long_3.py.")
