"""A one-shot agent that behaves: what it is started with, what comes of it, and how its session goes on."""

import json
from pathlib import Path

import pytest

from mulligan.types.agents import AgentDone, AgentReasoning, AgentText, AgentToolCall, AgentToolUpdate
from mulligan.types.errors import BackendError, ConfigurationError
from tests.backends.one_shot.conftest import Ask, Backend, permits_nothing, says

INIT = {"type": "system", "subtype": "init", "session_id": "theirs"}
OK = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "theirs"}


def text(words: str) -> dict[str, object]:
    return {"type": "assistant", "session_id": "theirs", "message": {"content": [{"type": "text", "text": words}]}}


async def test_a_turn_is_streamed_and_ends_with_done(backend: Backend, ask: Ask) -> None:
    agent = backend(says("a banner", INIT, text("Hello."), OK), format="claude")
    assert await ask(agent) == [AgentText("Hello."), AgentDone("finished")]


async def test_the_command_runs_in_the_session_s_folder_and_believes_it(
    backend: Backend, ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", "/somewhere/else")
    agent = backend("", command=("/usr/bin/env", "sh", "-c", "touch here; printenv PWD; /bin/pwd"))
    assert await ask(agent) == [AgentText(f"{folder}\n"), AgentText(f"{folder}\n"), AgentDone("finished")]
    assert (folder / "here").exists()


async def test_the_prompt_stands_in_the_arguments_as_it_was_typed(backend: Backend, ask: Ask) -> None:
    agent = backend("printf '%s\\n' \"$1\"")
    prompt = '$(touch x) `ls` "quoted" {session} --help'
    assert (await ask(agent, prompt))[0] == AgentText(f"{prompt}\n")


async def test_a_prompt_without_a_place_in_the_arguments_goes_to_standard_input(backend: Backend, ask: Ask) -> None:
    agent = backend("", command=("/bin/sh", "-c", "wc -c"))
    assert (await ask(agent, "x" * 1_000_000))[0] == AgentText("1000000\n")


async def test_standard_input_is_at_its_end_where_the_prompt_is_an_argument(backend: Backend, ask: Ask) -> None:
    assert (await ask(backend("wc -c")))[0] == AgentText("0\n")


async def test_an_agent_that_never_reads_a_long_prompt_is_not_waited_for(backend: Backend, ask: Ask) -> None:
    agent = backend("", command=("/bin/sh", "-c", "echo busy"))
    assert await ask(agent, "x" * 5_000_000) == [AgentText("busy\n"), AgentDone("finished")]


async def test_the_chosen_model_is_told(backend: Backend, ask: Ask) -> None:
    agent = backend('echo "$2 $M"', model="small", model_args=("{model}",), model_env={"M": "is {model}"})
    assert (await ask(agent))[0] == AgentText("small is small\n")


async def test_a_model_that_can_t_be_told_is_refused_before_anything_runs(backend: Backend, folder: Path) -> None:
    agent = backend("touch started", model="small")
    with pytest.raises(ConfigurationError):
        await agent.ensure_session(folder, None)
    assert not (folder / "started").exists()


RESUMED = f"""
{says(INIT)}
if [ "$2" = --resume ]; then said="resumed $3"; else said=new; fi
printf '{json.dumps(text("%s"))}\\n' "$said"
{says(OK)}
"""


async def test_the_session_s_name_is_learnt_and_used_for_the_next_turn(
    backend: Backend, ask: Ask, folder: Path
) -> None:
    agent = backend(RESUMED, format="claude", resume_args=("--resume", "{session}"))
    first = await agent.ensure_session(folder, None)
    assert agent.session_of(first) == first
    assert await ask(agent, session=first) == [AgentText("new"), AgentDone("finished")]
    assert agent.session_of(first) == "theirs"
    assert await agent.ensure_session(folder, first) == "theirs"
    assert await ask(agent, session="theirs") == [AgentText("resumed theirs"), AgentDone("finished")]


async def test_a_later_process_goes_on_by_the_learnt_name(backend: Backend, ask: Ask) -> None:
    agent = backend(RESUMED, format="claude", resume_args=("--resume", "{session}"))
    assert (await ask(agent, session="theirs"))[0] == AgentText("resumed theirs")


async def test_a_name_that_was_never_learnt_begins_anew(backend: Backend, ask: Ask, folder: Path) -> None:
    fields = {"format": "claude", "resume_args": ("--resume", "{session}")}
    unused = await backend(RESUMED, **fields).ensure_session(folder, None)
    assert (await ask(backend(RESUMED, **fields), session=unused))[0] == AgentText("new")


async def test_a_session_that_the_agent_no_longer_knows_begins_anew_in_the_same_turn(
    backend: Backend, ask: Ask
) -> None:
    lost = {"type": "result", "subtype": "error_during_execution", "is_error": True, "session_id": "gone",
            "errors": ["No conversation found"]}  # fmt: skip
    script = f'if [ "$2" = --resume ]; then {says(lost)}; exit 1; fi\n{says(INIT, text("new"), OK)}'
    agent = backend(script, format="claude", resume_args=("--resume", "{session}"))
    events = await ask(agent, session="gone")
    assert [type(event) for event in events] == [AgentReasoning, AgentText, AgentDone]
    assert events[-1] == AgentDone("finished")
    assert agent.session_of("gone") == "theirs"


async def test_an_agent_that_can_t_run_at_all_keeps_its_session(backend: Backend, ask: Ask) -> None:
    agent = backend("echo no node >&2; exit 127", format="claude", resume_args=("--resume", "{session}"))
    done = (await ask(agent, session="theirs"))[-1]
    assert done == AgentDone("failed", "shelly ended (exit code 127) without reporting success: no node")
    assert agent.session_of("theirs") == "theirs"


async def test_an_agent_that_takes_a_name_gets_one_and_goes_on_with_it(
    backend: Backend, ask: Ask, folder: Path
) -> None:
    message = {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "x"}]}}
    script = f'echo "called $*" >> calls\n{says(message, {"type": "complete"})}'
    command = ("/bin/sh", "-c", script, "sh", "-n", "{session}")
    agent = backend("", command=command, format="goose", resume_args=("-r",))
    name = await agent.ensure_session(folder, None)
    await ask(agent, session=name)
    assert await agent.ensure_session(folder, name) == name
    await ask(agent, session=name)
    assert (folder / "calls").read_text() == f"called -n {name}\ncalled -n {name} -r\n"


async def test_an_agent_without_a_way_to_go_on_begins_anew_every_turn(backend: Backend, ask: Ask) -> None:
    agent = backend(says(INIT, text("new"), OK), format="claude")
    for _ in range(2):
        assert await ask(agent, session="theirs") == [AgentText("new"), AgentDone("finished")]


async def test_open_calls_are_closed_at_the_end(backend: Backend, ask: Ask) -> None:
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    call = {"type": "assistant", "message": {"content": [block]}}
    agent = backend(says(INIT, call), format="claude")
    events = await ask(agent)
    assert events[:2] == [AgentToolCall("t", "Bash", {"command": "ls"}), AgentToolUpdate("t", "failed")]


async def test_a_folder_that_is_not_there_is_refused(backend: Backend, folder: Path) -> None:
    with pytest.raises(BackendError, match="is not a folder"):
        await backend("true").ensure_session(folder / "nowhere", None)


async def test_a_session_that_was_never_opened_is_refused(backend: Backend) -> None:
    with pytest.raises(BackendError, match="no session"):
        await anext(backend("true").prompt("who", "x", permits_nothing))


async def test_one_prompt_at_a_time(backend: Backend, folder: Path) -> None:
    agent = backend("echo begun; exec sleep 100")
    session = await agent.ensure_session(folder, None)
    first = agent.prompt(session, "x", permits_nothing)
    await anext(first)
    with pytest.raises(BackendError, match="busy"):
        await anext(agent.prompt(session, "y", permits_nothing))
    await first.aclose()


async def test_it_is_well_as_long_as_its_command_is_there(backend: Backend) -> None:
    assert (await backend("true").health()).alive
    assert not (await backend("", command=("no-such-command-here",)).health()).alive


async def test_a_closed_session_can_be_opened_again_by_its_name(backend: Backend, ask: Ask, folder: Path) -> None:
    agent = backend(RESUMED, format="claude", resume_args=("--resume", "{session}"))
    first = await agent.ensure_session(folder, None)
    await ask(agent, session=first)
    await agent.close_session(first)
    assert (await ask(agent, session="theirs"))[0] == AgentText("resumed theirs")
