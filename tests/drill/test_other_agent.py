"""The agent behind which the proxy stands in the drill. Here it asks a scripted model directly, without guards."""

from mulligan.drill.fault import ProxyStep
from mulligan.drill.observed import ProxiedReply
from mulligan.drill.other_agent import MAX_REQUESTS, converse
from mulligan.drill.scripting import call, for_ever, say, script
from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.models.scripted.server import serve_script

READ = call("read_file", {"path": "one.py"})


async def talked(played: Script, **results: str) -> list[ProxiedReply]:
    replies: list[ProxiedReply] = []
    async with serve_script(played) as server:
        await converse(ProxyStep(played, results), server.base_url, replies)
    return replies


async def test_without_guards_it_goes_on_until_it_is_bounded() -> None:
    replies = await talked(for_ever(READ))
    assert len(replies) == MAX_REQUESTS
    assert {reply.calls for reply in replies} == {(("read_file", '{"path":"one.py"}'),)}


async def test_it_sends_the_whole_history_and_ends_with_a_reply_without_calls() -> None:
    replies = await talked(script(READ, say("Done.")), read_file="what stands there")
    assert [reply.text for reply in replies] == ["", "Done."]
    roles = [message["role"] for message in replies[-1].sent["messages"]]
    assert roles == ["user", "assistant", "tool"]
    assert replies[-1].sent["messages"][-1]["content"] == "what stands there"


async def test_it_tells_the_model_of_broken_arguments_and_unknown_tools_and_runs_neither() -> None:
    replies = await talked(script(call("read_file", "{'path'"), call("fly", {}), say("Done.")))
    told = [message["content"] for message in replies[-1].sent["messages"] if message["role"] == "tool"]
    assert told[0].startswith("Error: invalid arguments")
    assert told[1] == "Error: unknown tool fly"


async def test_of_a_reply_that_breaks_off_it_has_what_came() -> None:
    [reply] = await talked(script(ScriptedReply(text="It is in one.py.", chunk_size=4, cut_after=2)))
    assert (reply.text, reply.finish) == ("It is in", None)


async def test_an_error_ends_it() -> None:
    [reply] = await talked(script(ScriptedReply(status=503)))
    assert (reply.status, reply.calls, reply.finish) == (503, (), None)
