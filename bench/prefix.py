"""What a real server reads of each request, and what it has in its cache: counted by the embedded model's engine.

The installed command works through turns with a scripted model. What it sent is then sent again, byte for byte in all
that makes up the prompt, to the embedded model, which counts. It only has to read, so the figures are the same on a
busy machine.
"""

import asyncio
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import EMBEDDED, MULLIGAN, model_versions, run_measured, tell
from bench.results import BenchFailed, Figure, Table, Yielded, at_least
from mulligan.app.configuration import load_configuration
from mulligan.models.embedded.catalog import find_entry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.servers import EmbeddedServer, EmbeddedServers
from mulligan.models.scripted.script import Script, ScriptedCall, ScriptedReply, ServerStyle
from mulligan.models.scripted.server import running

STEPS = 12
CACHED_AT_LEAST = 95.0
"""Percent of the prompt tokens of all steps after the first."""
SENT_AGAIN = ("messages", "tools")
"""What a prompt is made of."""
PATIENCE = 1800.0
"""Seconds for one prompt: on two busy cores a model reads ten tokens a second."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One request, in the tokens of the engine."""

    what: str
    prompt: int
    cached: int
    before: int
    """Tokens of the request before it in the same chat: all of them can be cached."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--model", default=EMBEDDED.partition(":")[2], help="an embedded model")


def measure(asked: Namespace) -> Iterator[Yielded]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        for number in range(1, STEPS + 1):
            text = f"def function_{number}(value):\n    return value + {number}\n"
            Path(project, f"file_{number}.py").write_text(text, encoding="utf-8")
        first = _sent(project, Path(folder, "first"), "Where is 7 added?", "And where 9?")
        second = _sent(project, Path(folder, "second"), "Which file is the longest?")
    counts = asyncio.run(_counted(asked.model, first, second))
    turn = counts[1:STEPS]
    yield Figure("cached in steps 2 to 12 of a turn", _percent(turn), "% of prompt tokens", at_least(CACHED_AT_LEAST))
    yield Figure(
        "cached of what the step before had sent",
        100 * min(each.cached / each.before for each in turn),
        "% at the least",
        note="the rest of a prompt is new: the last call and its result",
    )
    for what in ("the next turn of the chat", "another chat, then this one again"):
        yield Figure(
            f"cached in {what}", _percent([each for each in counts if each.what == what]), "% of prompt tokens"
        )
    rows = tuple((each.what, each.prompt, each.cached, each.prompt - each.cached) for each in counts)
    yield Table("Each request", ("request", "prompt tokens", "cached", "read"), rows)
    yield from model_versions(f"embedded:{asked.model}")


def _sent(project: Path, home: Path, *questions: str) -> list[dict[str, Any]]:
    """The bodies that the command sends in a chat: many steps in the first turn, two in each later one."""
    views = [
        ScriptedReply(tool_calls=(ScriptedCall(name="view_file", arguments={"path": f"file_{number}.py"}),))
        for number in range(1, STEPS)
    ]
    answer = ScriptedReply(text="It is in `file_7.py`, line 2.")
    replies = (*views, answer, *(each for _ in questions[1:] for each in (views[8], answer)))
    script = Script(replies=replies, model="qwen2.5-coder-1.5b", server_style=ServerStyle(kind="llama.cpp"))
    with running(script) as server:
        resumed: list[str] = []
        for question in questions:
            command = [MULLIGAN, "ask", question, *resumed, "--json", "-C", project, "--base-url", server.base_url]
            run = run_measured([*command, "--model", script.model], home=home)
            resumed = ["--chat", next((frame["chat_id"] for frame in run.frames if "chat_id" in frame), "")]
            if run.exit_code:
                raise BenchFailed(f"the command ended with {run.exit_code}: {run.stderr[-500:]}")
        return [seen["body"] for seen in server.requests()]


async def _counted(model: str, first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Counted]:
    entry, home = find_entry(model), load_configuration(None, {}).settings.home
    files, servers = ModelFiles(home), EmbeddedServers(home)
    if not files.present(entry):
        raise BenchFailed(f"{entry.name} is not here; download it with: mulligan models pull {entry.name}")
    await servers.stop(entry.name)  # with it goes what it has cached
    engine = await servers.ensure(entry.name, files.path(entry), context=entry.context)
    counts: list[Counted] = []
    before = {"first": 0, "second": 0}
    order = [("first", f"step {step}", body) for step, body in enumerate(first[:STEPS], 1)]
    order += [("first", "the next turn of the chat", body) for body in first[STEPS : STEPS + 1]]
    order += [("second", "another chat", second[0]), ("first", "another chat, then this one again", first[-1])]
    for chat, what, body in order:
        prompt, cached = await _count(engine, body)
        tell(f"{what}: {prompt} tokens, {cached} of them cached")
        counts.append(Counted(what, prompt, cached, before[chat] or prompt))
        before[chat] = prompt
    await servers.stop(entry.name)
    return counts


async def _count(engine: EmbeddedServer, body: dict[str, Any]) -> tuple[int, int]:
    import httpx2

    prompt = {name: body[name] for name in SENT_AGAIN if name in body}
    asked = {**prompt, "model": engine.model, "max_tokens": 1, "temperature": 0, "cache_prompt": True}
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {engine.api_key}"}, timeout=PATIENCE) as client:
        answer = (await client.post(f"{engine.base_url}/chat/completions", json=asked)).raise_for_status().json()
    usage = answer["usage"]
    return usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]


def _percent(counts: Sequence[Counted]) -> float:
    return 100 * sum(each.cached for each in counts) / sum(each.prompt for each in counts)
