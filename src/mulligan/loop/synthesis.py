"""The synthesis pass: a second inference without tools, in a separate message, that writes the answer.

Small models stop at a tool's output. So Mulligan itself reads the files behind it and the project's documents, asks
for the answer, and compares what the answer cites with what was read.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from mulligan.core.citations import citation_note
from mulligan.core.next_move import ProjectFinding
from mulligan.core.payload import images_asked_with, shown_with
from mulligan.core.replies import ASK_AGAIN, WHY_AGAIN, Answer, Calls, Unusable, read_reply
from mulligan.core.synthesis import SAY_SOMETHING, SynthesisQuestion, synthesis_budget, synthesis_messages
from mulligan.core.text_calls import find_text_calls
from mulligan.loop.guided import question_asked
from mulligan.loop.open_turn import OpenTurn
from mulligan.loop.plan import End
from mulligan.loop.record import TurnRecord
from mulligan.loop.stream import stream_reply
from mulligan.loop.synthesis_sources import gather_sources
from mulligan.ports.files import Workspace
from mulligan.runtime.uninterrupted import uninterrupted
from mulligan.types.errors import ModelError, StoreError
from mulligan.types.messages import Synthesis, Text
from mulligan.types.model_io import ModelRequest, UserText, WireMessage
from mulligan.workspace.files.masked_files import MaskedFiles

MIN_ANSWER_CHARS = 200
"""Characters of prose next to a call written as text. With less, the reply is a call and not an answer."""


async def synthesize(turn: OpenTurn, found: ProjectFinding, files: Workspace) -> End | None:
    """Write the answer from what a call found. None if that failed: the turn continues as if it was never tried.

    Its message is always finished. A user's abort propagates.
    """
    record, cancelled = await uninterrupted(turn.open_side_message())
    if cancelled:
        await _abandon(turn, record)
        raise asyncio.CancelledError
    try:
        async with asyncio.timeout(turn.plan.synthesis_seconds):
            read = await _write(turn, found, files, record)
    except (asyncio.CancelledError, StoreError):
        await _abandon(turn, record)
        raise
    except Exception as error:  # noqa: BLE001 - the turn can go on without a synthesis; logged in full
        why = error if str(error) else f"no answer within {turn.plan.synthesis_seconds:g} s"
        await _finish(_give_up(turn, found, record, why))
        return None
    await _finish(_succeed(turn, found, record, read))
    return End("synthesized")


async def _write(turn: OpenTurn, found: ProjectFinding, files: Workspace, record: TurnRecord) -> tuple[str, ...]:
    """Write the answer and its notes. Returns the files that it was written from."""
    record.begin_step(turn.steps)
    plan = turn.plan
    question, earlier = question_asked(turn.history)
    asked = SynthesisQuestion(question, earlier.question if earlier else "")
    gathered = await gather_sources(MaskedFiles(files, plan.mask), plan.index, asked, found.result)
    tokens, ratio = synthesis_budget(
        plan.budget(), reads_per_second=plan.reads_per_second(), reply_tokens=plan.max_tokens
    )
    messages, kept = synthesis_messages(
        asked,
        tool=found.tool,
        result=found.result.content,
        sources=gathered.sources,
        char_limit=int(tokens * ratio),
    )
    answer = await _ask(turn, shown_with(messages, images_asked_with(turn.history)), record)
    read = tuple(source.path for source in kept)
    record.synthesized(Synthesis(tool=found.tool, files=read))
    note = citation_note(answer, known_paths=(*gathered.known, *found.result.refers_to), read=read)
    if note:
        record.say(f"\n\n{note}", by_mulligan=True)
    return read


async def _ask(turn: OpenTurn, messages: Sequence[WireMessage], record: TurnRecord) -> str:
    """The answer. An unusable one gets one second chance; then the model has failed."""
    read = await _ask_once(turn, messages, record)
    if isinstance(read, Unusable):
        record.retry(attempt=1, attempts=2, delay=0.0, reason=WHY_AGAIN[read.trouble])
        note = SAY_SOMETHING if read.trouble == "empty" else ASK_AGAIN[read.trouble]
        read = await _ask_once(turn, (*messages, UserText(note)), record)
    if isinstance(read, Unusable):
        raise ModelError(f"{WHY_AGAIN[read.trouble]}, twice")
    return read.text


async def _ask_once(turn: OpenTurn, messages: Sequence[WireMessage], record: TurnRecord) -> Answer | Unusable:
    plan = turn.plan
    request = ModelRequest(tuple(messages), max_tokens=plan.max_tokens, temperature=plan.temperature)
    reply = await stream_reply(plan.model, request, record)
    turn.usage += reply.usage
    read = read_reply(reply, tools_offered=False)
    if not isinstance(read, Answer):
        return Unusable("empty") if isinstance(read, Calls) else read
    # A model that still wants to call a tool writes the call into its text: that is not an answer either.
    calls = find_text_calls(read.text, [tool.spec.name for tool in plan.tools])
    return Unusable("empty") if calls and len(calls.text.strip()) < MIN_ANSWER_CHARS else read


async def _succeed(turn: OpenTurn, found: ProjectFinding, record: TurnRecord, read: Sequence[str]) -> None:
    characters = sum(len(part.text) for part in record.parts if isinstance(part, Text))
    await turn.close_side_message(
        record, "complete", "synthesized", f"Written from {found.tool} and {len(read)} files."
    )
    chat, message = turn.plan.chat_id, record.message_id
    turn.log("synthesis", chat=chat, message=message, tool=found.tool, characters=characters, files=list(read))


async def _give_up(turn: OpenTurn, found: ProjectFinding, record: TurnRecord, error: Exception | str) -> None:
    try:
        await record.discard()
    finally:
        await turn.close_side_message(record, "failed", None, str(error))
    turn.log("synthesis_failed", chat=turn.plan.chat_id, message=record.message_id, tool=found.tool, error=error)


async def _abandon(turn: OpenTurn, record: TurnRecord) -> None:
    await uninterrupted(turn.close_side_message(record, "failed", None, "Stopped before it was written."))


async def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Close the message even if the user aborts meanwhile; then the abort propagates."""
    _, cancelled = await uninterrupted(work)
    if cancelled:
        raise asyncio.CancelledError
