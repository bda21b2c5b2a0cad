"""Turns that go as they should, with one agent that stays: each turn is told in its prompt what to do."""

from pathlib import Path
from typing import Any

import pytest

from mulligan.runtime.process_trees import marked, process_tree
from mulligan.types.agents import (
    AgentDone,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
    PermissionRequest,
)
from mulligan.types.errors import BackendError
from tests.backends.acp.conftest import LINGER, Stage, as_prompt

pytestmark = pytest.mark.asyncio(loop_scope="module")

FINISHED = AgentDone("finished")
EDIT = {"title": "Edit a.txt", "kind": "edit", "input": {"file_path": "a.txt"}}


async def test_words_thoughts_and_plans_come_in_order(one_stage: Stage, session: str) -> None:
    events = await one_stage.turn(session, {"think": "hm"}, {"plan": ["look", "fix"]}, {"say": "a"}, {"say": "b"})

    assert events == [AgentReasoning("hm"), AgentPlan(("look", "fix")), AgentText("a"), AgentText("b"), FINISHED]


async def test_a_hundred_pieces_keep_their_order(one_stage: Stage, session: str) -> None:
    pieces = [str(number) for number in range(100)]

    events = await one_stage.turn(session, *({"say": piece} for piece in pieces))

    assert events == [*map(AgentText, pieces), FINISHED]


async def test_a_tool_call_is_told_with_its_outcome(one_stage: Stage, session: str) -> None:
    events = await one_stage.turn(
        session, {"call": "1", **EDIT}, {"update": "1", "status": "completed", "text": "done"}
    )

    assert events == [
        AgentToolCall("1", "Edit a.txt", {"file_path": "a.txt"}),
        AgentToolUpdate("1", "completed", "done"),
        FINISHED,
    ]


async def test_a_call_that_the_agent_never_closes_is_closed_at_the_end(one_stage: Stage, session: str) -> None:
    events = await one_stage.turn(session, {"call": "1", **EDIT})

    assert events[-2:] == [AgentToolUpdate("1", "completed"), FINISHED]


async def test_files_are_written_in_the_folder_of_the_session(one_stage: Stage, session: str) -> None:
    await one_stage.turn(session, {"write": "made.txt", "text": "by the agent"})

    assert (one_stage.folder / "made.txt").read_text() == "by the agent"


async def test_another_folder_is_another_session(one_stage: Stage, session: str) -> None:
    folder = one_stage.root / "other"
    folder.mkdir()

    other = await one_stage.backend.ensure_session(folder, session)
    await one_stage.turn(other, {"write": "a.txt", "text": "x"})

    assert other != session
    assert (folder / "a.txt").exists()


async def test_a_write_outside_its_folder_is_no_fault_of_the_turn(one_stage: Stage, session: str) -> None:
    outside = one_stage.root / "outside.txt"

    events = await one_stage.turn(session, {"write": str(outside), "text": "x"}, {"say": "done"})

    assert events == [AgentText("done"), FINISHED]
    assert outside.exists()


async def test_a_session_keeps_its_place_from_prompt_to_prompt(one_stage: Stage, session: str) -> None:
    await one_stage.turn(session, {"say": "first"})
    again = await one_stage.session(session)

    assert again == session
    assert await one_stage.turn(again, {"recall": True}) == [AgentText("2 prompts, mode none"), FINISHED]


@pytest.mark.parametrize(
    ("allow", "options", "chosen"),
    [
        pytest.param(True, ["allow_always", "allow_once", "reject_once"], "the allow_once", id="yes, this once"),
        pytest.param(False, ["allow_once", "reject_always", "reject_once"], "the reject_once", id="no, this once"),
        pytest.param(True, ["allow_always", "reject_once"], "cancelled", id="never for ever"),
        pytest.param(True, ["ask_my_lawyer", "allow_once"], "the allow_once", id="beside a kind that is unknown"),
    ],
)
async def test_an_answer_is_chosen_by_its_kind(
    one_stage: Stage, session: str, allow: bool, options: list[str], chosen: str
) -> None:
    one_stage.allow = allow

    events = await one_stage.turn(session, {"ask": "1", **EDIT, "options": options})

    assert AgentText(chosen) in events


async def test_a_question_tells_what_is_to_be_done(one_stage: Stage, session: str) -> None:
    await one_stage.turn(session, {"ask": "1", "title": "Run", "kind": "execute", "input": {"command": "make"}})
    await one_stage.turn(session, {"ask": "2", **EDIT, "path": "/tree/a.txt"})

    assert one_stage.asked == [
        PermissionRequest("Run", "execute", command="make", paths=()),
        PermissionRequest("Edit a.txt", "edit", command=None, paths=("/tree/a.txt", "a.txt")),
    ]


async def test_a_question_about_a_call_that_was_told_before_knows_what_was_told(one_stage: Stage, session: str) -> None:
    await one_stage.turn(session, {"call": "1", **EDIT}, {"ask": "1"})

    assert one_stage.asked == [PermissionRequest("Edit a.txt", "edit", command=None, paths=("a.txt",))]


async def test_what_led_to_a_question_is_shown_before_it_is_asked(one_stage: Stage, session: str) -> None:
    story: list[str] = []

    async def permit(request: PermissionRequest, /) -> bool:
        story.append(f"asked: {request.title}")
        return True

    prompt = as_prompt({"say": "I want"}, {"call": "1", "title": "Edit"}, {"ask": "1"}, {"say": "thanks"})
    async for event in one_stage.backend.prompt(session, prompt, permit):
        story.append(type(event).__name__)  # noqa: PERF401  in between, `permit` adds to it too

    assert story[:3] == ["AgentText", "AgentToolCall", "asked: Edit"]


async def test_who_answers_and_fails_has_said_no(one_stage: Stage, session: str) -> None:
    async def permit(_: PermissionRequest, /) -> bool:
        raise ValueError("no terminal")

    steps = as_prompt({"ask": "1", **EDIT})
    events = [event async for event in one_stage.backend.prompt(session, steps, permit)]

    assert AgentText("the reject_once") in events
    assert one_stage.logged == ["agent_permission_failed"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        pytest.param("fs/read_text_file", {"path": "/etc/passwd"}, id="reading"),
        pytest.param("fs/write_text_file", {"path": "/etc/passwd", "content": ""}, id="writing"),
        pytest.param("terminal/create", {"command": "ls"}, id="a terminal"),
        pytest.param("terminal/output", {"terminalId": "1"}, id="its output"),
        pytest.param("terminal/wait_for_exit", {"terminalId": "1"}, id="its exit"),
        pytest.param("terminal/kill", {"terminalId": "1"}, id="its end"),
        pytest.param("terminal/release", {"terminalId": "1"}, id="its release"),
    ],
)
async def test_what_we_do_not_offer_is_refused_in_words(
    one_stage: Stage, session: str, method: str, params: dict[str, Any]
) -> None:
    events = await one_stage.turn(session, {"request": method, "params": params})

    assert events == [AgentText(f"error -32601: {method} is not offered: use your own tools"), FINISHED]


@pytest.mark.parametrize(
    ("reason", "detail"),
    [
        pytest.param("max_tokens", "scripted stopped: it ran out of tokens.", id="out of tokens"),
        pytest.param("refusal", "scripted stopped: it refused to continue.", id="refused"),
        pytest.param(
            "sideways", "scripted stopped for a reason that the protocol does not have: 'sideways'.", id="unknown"
        ),
    ],
)
async def test_a_turn_that_stops_early_has_failed(one_stage: Stage, session: str, reason: str, detail: str) -> None:
    assert await one_stage.turn(session, {"stop": reason}) == [AgentDone("failed", detail)]


async def test_a_turn_that_the_agent_cancels_itself_is_cancelled(one_stage: Stage, session: str) -> None:
    assert await one_stage.turn(session, {"stop": "cancelled"}) == [AgentDone("cancelled")]


async def test_an_error_of_the_agent_is_told_in_its_words(one_stage: Stage, session: str) -> None:
    assert await one_stage.turn(session, {"error": "no credit"}) == [AgentDone("failed", "scripted gave up: no credit")]
    assert await one_stage.still_works(session) == session


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Loading plugins...", id="words"),
        pytest.param("123", id="a number"),
        pytest.param("null", id="null"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param('{"jsonrpc": "2.0", "meth', id="half a message"),
        pytest.param("[" * 100_000, id="deeply nested"),
        pytest.param('{"jsonrpc": "2.0", "id": [1], "result": {}}', id="an id that is a list"),
        pytest.param('{"jsonrpc": "2.0", "id": 99, "error": "no"}', id="an error that is a text"),
        pytest.param('{"jsonrpc": "2.0", "id": 99, "result": {}}', id="an answer that nobody asked for"),
        pytest.param('{"jsonrpc": "2.0", "method": 7}', id="a method that is a number"),
        pytest.param('{"jsonrpc": "2.0", "method": "session/update", "params": []}', id="parameters that are a list"),
        pytest.param('{"jsonrpc": "2.0", "method": "session/update", "params": {}}', id="an update of nothing"),
        pytest.param('{"jsonrpc": "2.0", "method": "$/unheard_of", "params": {}}', id="an unknown notification"),
        pytest.param(
            '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":'
            '{"sessionUpdate":"dance"}}}',
            id="an unknown update",
        ),
        pytest.param(
            '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":'
            '{"sessionUpdate":"agent_message_chunk","content":7}}}',
            id="an update that is malformed",
        ),
        pytest.param(
            '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"another","update":'
            '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"psst"}}}}',
            id="an update of another session",
        ),
    ],
)
async def test_lines_that_mean_nothing_are_left_out(
    one_stage: Stage, session: str, line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    events = await one_stage.turn(session, {"say": "a"}, {"raw": line}, {"say": "b"})

    assert events == [AgentText("a"), AgentText("b"), FINISHED]
    assert capfd.readouterr() == ("", "")


async def test_what_was_left_out_is_logged(one_stage: Stage, session: str) -> None:
    await one_stage.turn(session, {"raw": "noise"})

    assert one_stage.logged == ["agent_output_dropped"]


async def test_a_request_that_nobody_knows_is_answered(one_stage: Stage, session: str) -> None:
    events = await one_stage.turn(session, {"request": "weather/today"})

    assert events == [AgentText("error -32601: Method not found"), FINISHED]


async def test_a_line_of_fifty_megabytes_is_read(one_stage: Stage, session: str) -> None:
    size = 50_000_000

    events = await one_stage.turn(session, {"long": size}, {"say": "after"})

    assert [len(event.text) for event in events if isinstance(event, AgentText)] == [size, len("after")]


async def test_a_megabyte_of_errors_does_not_stop_the_agent(one_stage: Stage, session: str) -> None:
    events = await one_stage.turn(session, {"stderr": "oh no\n" * 100, "times": 2000}, {"say": "still here"})

    assert events == [AgentText("still here"), FINISHED]


async def test_a_second_prompt_at_once_is_refused(one_stage: Stage, session: str) -> None:
    events = one_stage.backend.prompt(session, as_prompt({"say": "a"}, {"say": "b"}), one_stage.permit)
    await anext(events)

    with pytest.raises(BackendError, match="busy"):
        await one_stage.turn(session, {"say": "me too"})

    assert [event async for event in events] == [AgentText("b"), FINISHED]


async def test_a_prompt_needs_a_session(one_stage: Stage, session: str) -> None:  # noqa: ARG001  the agent runs
    with pytest.raises(BackendError, match="no session"):
        await one_stage.turn("unheard of", {"say": "a"})


async def test_a_closed_session_takes_no_prompt(one_stage: Stage, session: str) -> None:
    await one_stage.backend.close_session(session)

    with pytest.raises(BackendError, match="no session"):
        await one_stage.turn(session, {"say": "a"})


@pytest.mark.parametrize("place", ["file", "missing"])
async def test_a_session_needs_a_folder(one_stage: Stage, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(BackendError, match="not a folder"):
        await one_stage.backend.ensure_session(tmp_path / place, None)


async def test_health_tells_of_the_process(one_stage: Stage, session: str) -> None:  # noqa: ARG001  the agent runs
    health = await one_stage.backend.health()

    assert health.alive
    assert health.detail.startswith("pid ")


async def test_a_sweep_between_turns_ends_what_was_left_and_spares_what_hangs_on_the_agent(
    one_stage: Stage, session: str
) -> None:
    agent = await one_stage.agent_pid()
    await one_stage.turn(session, LINGER, {"run": ["sh", "-c", "sleep 1000 & exit"]})
    while (kin := process_tree(alive := await marked(one_stage.backend.mark), agent)) == alive or len(kin) != 2:
        pass  # the shell has not ended yet

    assert await one_stage.backend.sweep() == 1
    assert await marked(one_stage.backend.mark) == kin
    assert await one_stage.still_works(session) == session
