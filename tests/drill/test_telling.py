"""What is told of a run stands in its frames."""

from typing import Any

import pytest

from mulligan.drill.actions import describe_actions
from mulligan.drill.observed import FinishedCommand, Observation, ProxiedReply

ANSWERED = {"type": "turn_end", "stop_reason": "answered"}


def result(failure: str | None = None, name: str = "view_file") -> dict[str, Any]:
    return {"type": "tool_result", "name": name} | ({"failure": failure} if failure else {})


def seen(*frames: dict[str, Any], exit_code: int | None = 0) -> Observation:
    run = FinishedCommand(("ask",), exit_code, frames, stderr="", requests=(), seconds=0.1)
    return Observation((run,), photos=())


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        pytest.param([ANSWERED], "answered, exit 0", id="an answer alone"),
        pytest.param([result(), result(), ANSWERED], "ran 2 calls; answered, exit 0", id="calls that ran"),
        pytest.param(
            [result("schema_reject"), result("tool_not_found"), ANSWERED],
            "sent 2 calls back; answered, exit 0",
            id="calls that could not be read",
        ),
        pytest.param(
            [result("permission_denied"), result(), ANSWERED], "denied 1 call; answered, exit 0", id="a denied call"
        ),
        pytest.param(
            [result("exec_error", "edit_file"), ANSWERED], "refused 1 edit; answered, exit 0", id="a refused edit"
        ),
        pytest.param(
            [result(), ANSWERED | {"repairs": {"trailing_comma": 1}}],
            "repaired trailing comma; answered, exit 0",
            id="a repair",
        ),
    ],
)
def test_a_run_is_told_by_what_its_frames_say(frames: list[dict[str, Any]], words: str) -> None:
    assert describe_actions(seen(*frames)) == words


def test_a_command_that_had_to_be_ended_is_told_so() -> None:
    assert describe_actions(seen(ANSWERED, exit_code=None)) == "answered, did not end"


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        pytest.param((), "retried, twice; ended loop; the agent was done after 1 request, exit 0", id="an end"),
        pytest.param(
            (("read_file", "{}"),), "retried, twice; ended loop; the agent went on for 1 request, exit 0", id="no end"
        ),
    ],
)
def test_a_proxy_is_told_by_its_log_and_by_what_the_agent_got(calls: tuple[tuple[str, str], ...], words: str) -> None:
    log = ({"type": "request", "actions": ["retried", "retried"]}, {"type": "request", "actions": ["ended_loop"]})
    replies = (ProxiedReply({}, 200, b"", calls=calls),)
    run = FinishedCommand(("proxy",), 0, log, stderr="", requests=(), seconds=0.1, replies=replies)
    assert describe_actions(Observation((run,), photos=())) == words
