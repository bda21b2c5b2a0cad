"""The full probe, over real sockets, against models of different abilities."""

import itertools
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal

import pytest

from mulligan.models.known.probe import ProbeFinding, probe
from mulligan.models.known.truncation import MARKER
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedModel, ScriptedReply, ServerStyle, When
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelUnreachable
from mulligan.types.model_io import Usage
from mulligan.types.profiles import ModelProfile

Way = Literal["native", "text", "constrained"]
FOUND = "deploy/local/settings.toml"
MAX_REQUESTS = 16


def to(asked: str, **reply: Any) -> ScriptedReply:
    return ScriptedReply(when=When(contains=asked), **reply)


def calls(way: Way, *wanted: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The reply that makes these calls."""
    if way == "constrained":
        [(name, arguments)] = wanted
        return {"text": json.dumps({"tool": name, "arguments": arguments})}
    made = tuple(ScriptedCall(name=name, arguments=arguments) for name, arguments in wanted)
    return {"tool_calls": made, "calls_as": way}


def says(way: Way, text: str) -> dict[str, Any]:
    return {"text": json.dumps({"tool": "answer", "text": text}) if way == "constrained" else text}


def driver(way: Way) -> tuple[ScriptedReply, ...]:
    """Solves every exercise."""
    return (
        to("8421", **says(way, "Port 8421 is set.")),
        to("No matches.", **calls(way, ("grep", {"pattern": "load_user"}))),
        to(FOUND, **calls(way, ("view_file", {"path": FOUND}))),
        to("settings.toml", **calls(way, ("find_files", {"pattern": "settings.toml"}))),
        to("parse_date", **calls(way, ("grep", {"pattern": "parse_date"}))),
        to("lines 40 to 60", **calls(way, ("view_file", {"path": "src/app.py", "start_line": 40, "end_line": 60}))),
    )


def talker(way: Way) -> tuple[ScriptedReply, ...]:
    """Solves the first exercises, then repeats what it did."""
    return (
        to("No matches.", **calls(way, ("grep", {"pattern": "def load_user", "path": "."}))),
        to("settings.toml", **calls(way, ("find_files", {"pattern": "settings.toml"}))),
        to("parse_date", **calls(way, ("grep", {"pattern": "parse_date"}))),
    )


def basics(way: Way) -> tuple[ScriptedReply, ...]:
    """Answers to everything but the exercises."""
    lisbon = ("get_weather", {"city": "Lisbon"})
    made = "native" if way == "native" else "text"
    return (
        to("the word ready", text="ready"),
        to("Count from 1 to 40", text=", ".join(map(str, range(1, 41)))),
        to("in Lisbon and in Oslo", **calls(made, lisbon, ("get_weather", {"city": "Oslo"}))),
        to("in Lisbon", **calls(made, lisbon)),
        ScriptedReply(when=When(contains="about the sea", json_schema=True), text='{"mood": "calm"}'),
        to("about the sea", text="The sea is wide."),
        to(MARKER, text=MARKER),
        ScriptedReply(text="I do not know."),
    )


@asynccontextmanager
async def probed(
    script: Script, profile: ModelProfile | None = None
) -> AsyncGenerator[tuple[ModelProfile, dict[str, str], ScriptedServer]]:
    """The profile, the report and the server, after a probe in which a second passes with every look at the clock."""
    findings: list[ProbeFinding] = []
    seconds = itertools.count()
    async with serve_script(script) as server, aclosing(OpenAIChat(server.base_url, "tiny")) as model:
        known = profile or ModelProfile(server=server.base_url, model="tiny")
        found = await probe(model, known, progress=findings.append, clock=lambda: next(seconds) / 100)
        yield found, {finding.check: finding.found for finding in findings}, server


def script(way: Way, solver: tuple[ScriptedReply, ...], **server_style: Any) -> Script:
    return Script(
        replies=(*solver, *basics(way)), then="repeat_last", model="tiny", server_style=ServerStyle(**server_style)
    )


async def test_a_capable_model_is_found_to_be_one() -> None:
    async with probed(script("native", driver("native"))) as (profile, report, server):
        assert profile.probed
        assert profile.native_tools
        assert profile.parallel_calls
        assert profile.json_schema
        assert (profile.ability, profile.agency) == (1.0, "agent")
        assert report["ability"] == "agent: solved 6 of 6"
        assert len(server.requests) <= MAX_REQUESTS
        assert all(seen.body["max_tokens"] <= 120 for seen in server.requests)


async def test_speed_and_characters_a_token_come_from_what_the_server_counts() -> None:
    async with probed(script("native", driver("native"))) as (profile, _, _):
        assert profile.reads_per_second
        assert profile.writes_per_second
        assert profile.chars_per_token == pytest.approx(4, abs=0.2)


@pytest.mark.parametrize("way", ["text", "constrained"])
async def test_exercises_are_asked_by_the_protocol_that_fits_the_model(way: Way) -> None:
    schema = "taken" if way == "constrained" else "ignored"
    async with probed(script(way, driver(way), json_schema=schema)) as (profile, report, _):
        assert (profile.native_tools, profile.json_schema) == (False, way == "constrained")
        assert report["native tools"] == "no: it writes the call as text"
        assert (profile.ability, profile.agency) == (1.0, "agent")


async def test_a_model_that_repeats_itself_is_guided() -> None:
    async with probed(script("native", talker("native"))) as (profile, report, _):
        assert (profile.ability, profile.agency) == (0.33, "guided")
        assert "not: fill its arguments, read what was found" in report["ability"]


async def test_a_model_that_can_do_nothing_is_probed_all_the_same() -> None:
    script = Script(replies=(ScriptedReply(text="Hello!", usage=Usage()),), then="repeat_last")
    async with probed(script) as (profile, report, server):
        assert (profile.native_tools, profile.json_schema, profile.agency) == (False, False, "guided")
        assert profile.ability == 0
        assert profile.reads_per_second is None
        assert "does not count tokens" in report["speed"]
        assert report["long prompts"].startswith("not known")
        assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("kind", ["ollama", "llama.cpp", "vllm", "lmstudio", "openai"])
async def test_a_refusal_of_tools_and_schema_is_an_answer(kind: Any) -> None:
    refusing = script("text", driver("text"), kind=kind, tools="refused", json_schema="refused")
    async with probed(refusing) as (profile, report, _):
        assert (profile.native_tools, profile.json_schema, profile.parallel_calls) == (False, False, False)
        assert report["native tools"].startswith("no: The model server at")
        assert profile.agency == "agent"


async def test_a_server_that_calls_its_refusal_a_fault_of_its_own_is_understood() -> None:
    refusal = ScriptedReply(when=When(tools=True), status=500, body="tools param requires --jinja flag")
    faulty = Script(replies=(refusal, *driver("constrained"), *basics("text")), then="repeat_last")
    async with probed(faulty) as (profile, _, _):
        assert profile.native_tools is False


async def test_a_silent_cut_is_found_and_measured() -> None:
    cutting = script("native", driver("native"), kind="ollama", context_length=1000)
    believed = ModelProfile(server="s", model="tiny", context_length=1000)
    async with probed(cutting, believed) as (profile, report, _):
        assert profile.truncates_at == profile.context_length == pytest.approx(1000, rel=0.1)
        assert report["long prompts"] == f"silently truncated at about {profile.truncates_at:,} tokens"


async def test_a_server_that_cuts_and_does_not_count_is_found_out_by_the_marker() -> None:
    cutting = script("native", driver("native"), kind="ollama", context_length=700)
    uncounted = tuple(reply.model_copy(update={"usage": Usage()}) for reply in cutting.replies)
    believed = ModelProfile(server="s", model="tiny", context_length=1000)
    async with probed(cutting.model_copy(update={"replies": uncounted}), believed) as (profile, _, server):
        assert profile.truncates_at is not None
        assert 350 <= profile.truncates_at <= 700
        assert len(server.requests) <= MAX_REQUESTS


async def test_a_server_that_takes_less_than_it_says_is_found_out() -> None:
    cutting = script("native", driver("native"), kind="ollama", context_length=700)
    believed = ModelProfile(server="s", model="tiny", context_length=2000)
    async with probed(cutting, believed) as (profile, _, _):
        assert profile.truncates_at == profile.context_length == pytest.approx(700, rel=0.1)


async def test_a_server_that_takes_more_than_it_says_is_found_out() -> None:
    believed = ModelProfile(server="s", model="tiny", context_length=500, truncates_at=500)
    async with probed(script("native", driver("native")), believed) as (profile, report, _):
        assert profile.context_length is not None
        assert profile.context_length > 2000
        assert profile.truncates_at == profile.context_length
        assert "arrive complete" in report["long prompts"]


async def test_a_server_that_refuses_long_prompts_does_not_cut_them() -> None:
    honest = script("native", driver("native"), kind="llama.cpp", context_length=1000)
    believed = ModelProfile(server="s", model="tiny", context_length=1000, truncates_at=1000)
    async with probed(honest, believed) as (profile, report, _):
        assert (profile.context_length, profile.truncates_at) == (1000, None)
        assert report["long prompts"] == "refused with an error from 1,300 tokens"


async def test_a_context_too_long_to_try_is_left_as_it_was_told() -> None:
    believed = ModelProfile(server="s", model="tiny", context_length=131_072)
    async with probed(script("native", driver("native")), believed) as (profile, report, server):
        assert profile.context_length == 131_072
        assert report["long prompts"] == "not tried with 170,393 tokens: more than this check may read"
        assert all(len(json.dumps(seen.body)) < 10_000 for seen in server.requests)


async def test_a_check_that_fails_leaves_its_field_open_and_the_others_go_on() -> None:
    broken = ScriptedReply(when=When(contains="in Lisbon"), status=503, body="busy")
    replies = (broken, *driver("native"), *basics("native"))
    async with probed(Script(replies=replies, then="repeat_last")) as (profile, report, _):
        assert profile.native_tools is None
        assert report["native tools"].startswith("not known: ")
        assert profile.json_schema
        assert profile.agency == "agent"


async def test_a_probe_on_a_very_slow_machine_ends_early_and_says_what_it_left_out() -> None:
    model = ScriptedModel(script("native", driver("native")))
    minutes = itertools.count(step=30)
    findings: list[ProbeFinding] = []

    known = ModelProfile(server="s", model="tiny")
    found = await probe(model, known, progress=findings.append, clock=lambda: next(minutes))

    assert found.agency is None
    assert findings[-1] == ProbeFinding("ability", "not tried: the probe has run for 300 s")


async def test_a_model_that_thinks_first_gets_room_for_it() -> None:
    thinker = to("the word ready", text="ready", reasoning="Let me see.")
    replies = (thinker, *driver("native"), *basics("native"))
    async with probed(Script(replies=replies, then="repeat_last")) as (_, _, server):
        assert {seen.body["max_tokens"] for seen in server.requests[2:]} == {1200}


async def test_a_model_that_does_not_answer_at_all_can_not_be_probed() -> None:
    model = OpenAIChat("http://127.0.0.1:1/v1", "tiny")

    with pytest.raises(ModelUnreachable):
        await probe(model, ModelProfile(server="s", model="tiny"), progress=lambda _: None)
    await model.aclose()


async def test_what_was_known_and_could_not_be_measured_is_kept() -> None:
    model = ScriptedModel(Script(replies=(ScriptedReply(text="ready"), ScriptedReply(status=503)), then="repeat_last"))
    known = ModelProfile(server="s", model="tiny", native_tools=True, json_schema=True, reads_per_second=30.0)

    found = await probe(model, known, progress=lambda _: None)

    assert found == known.model_copy(update={"probed": True})
