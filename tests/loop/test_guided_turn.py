"""The turn that Mulligan drives: what the model is shown, what is recorded, and how it ends."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.codecontext.index import ProjectIndex
from mulligan.core.payload import opening
from mulligan.core.retrieval.request import REPLY_TOKENS
from mulligan.loop.guided import run_guided_turn
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.models.wire.retrying import RetryingModel
from mulligan.types.frames import MessageComplete, TextStreamed, ToolCalled, ToolReturned, TurnEnd
from mulligan.types.messages import StepStart, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import AssistantReply, SystemText, ToolReply, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.sentinels import Aborted, DoomLoop, EmptyReply, ModelFailed, ReplyCut
from mulligan.workspace.files.project_files import ProjectFiles
from tests.loop.turn_bench import Bench, no_sleep, script

PROFILE = ModelProfile(server="http://127.0.0.1:1/v1", model="small", context_length=4096)

FILES = {
    "README.md": "# Shelf\n\nLends books.\n",
    "shelf/loans.py": "LOAN_DAYS = 21\n\n\ndef lend(book):\n    return LOAN_DAYS\n",
    "shelf/fines.py": "CENTS_PER_DAY = 15\n\n\ndef fine_for(days):\n    return days * CENTS_PER_DAY\n",
}


@pytest.fixture
def shelf(bench: Bench) -> Bench:
    for path in bench.project.iterdir():
        path.unlink()
    for path, text in FILES.items():
        write(bench.project / path, text)
    return bench


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


async def ask(
    bench: Bench, model: ScriptedModel, prompt: str, *, profile: ModelProfile = PROFILE, continues: bool = False
) -> TurnEnd:
    plan = bench.plan(RetryingModel(model, sleep=no_sleep))
    return await run_guided_turn(
        plan,
        prompt,
        workspace=ProjectFiles(bench.project),
        profile=profile,
        store=bench.store.messages,
        emit=bench.frames.append,
        log=bench.remember,
        continues=continues,
    )


def sent(model: ScriptedModel, request: int = 0) -> str:
    """The user's text of a request, before any note."""
    system, user, *_ = model.requests[request].messages
    assert isinstance(system, SystemText)
    assert isinstance(user, UserText)
    return user.text


async def test_the_model_is_asked_once_without_tools_from_the_right_file(shelf: Bench) -> None:
    model = script("For 21 days.")
    end = await ask(shelf, model, "How many days is a book lent?")
    assert (end.stop_reason, end.steps, len(model.requests)) == ("answered", 1, 1)
    (request,) = model.requests
    assert (request.tools, request.temperature, request.max_tokens) == ((), 0.0, REPLY_TOKENS)
    assert "File shelf/loans.py:\n```\nLOAN_DAYS = 21" in sent(model)


async def test_the_question_comes_last(shelf: Bench) -> None:
    model = script("For 21 days.")
    await ask(shelf, model, "How many days is a book lent?\n")
    assert sent(model).endswith("Question: How many days is a book lent?")


async def test_the_files_that_were_used_are_recorded_as_calls_that_mulligan_made(shelf: Bench) -> None:
    await ask(shelf, script("15 cents."), "what is fine_for?")
    call, result, step, text = (await shelf.answer()).parts
    where = {"path": "shelf/fines.py", "start_line": 1, "end_line": 5}
    assert call == ToolCallPart(call_id="guided001", name="view_file", arguments=where)
    assert isinstance(result, ToolResultPart)
    assert result.content == FILES["shelf/fines.py"].rstrip("\n")
    assert (step, text) == (StepStart(step=1), Text(text="15 cents."))
    assert [type(frame) for frame in shelf.frames[1:3]] == [ToolCalled, ToolReturned]


async def test_a_later_turn_with_tools_sees_files_and_answer_in_order(shelf: Bench) -> None:
    await ask(shelf, script("15 cents."), "what is fine_for?")
    _, _, reply, result, answer = opening("Be good.", await shelf.messages())
    assert isinstance(reply, AssistantReply)
    assert [call.name for call in reply.calls] == ["view_file"]
    assert isinstance(result, ToolReply)
    assert answer == AssistantReply("15 cents.")


@pytest.mark.parametrize("prompt", ["what is in this project?", "where are the elephants?"])
async def test_without_anything_to_search_for_the_overview_is_shown(shelf: Bench, prompt: str) -> None:
    model = script("It lends books.")
    await ask(shelf, model, prompt)
    assert "Files of the project:\nREADME.md\nshelf/ (2 files)" in sent(model)
    assert "# Shelf" in sent(model)
    calls = [part.name for part in (await shelf.answer()).parts if isinstance(part, ToolCallPart)]
    assert calls == ["find_files", "view_file"]


async def test_an_empty_project_is_no_reason_to_fail(bench: Bench) -> None:
    for path in bench.project.iterdir():
        path.unlink()
    assert (await ask(bench, script("Nothing."), "what is in this project?")).stop_reason == "answered"


async def test_a_follow_up_on_the_same_files_begins_with_the_same_bytes(shelf: Bench) -> None:
    model = script("15 cents a day.", "It multiplies.")
    await ask(shelf, model, "what does fine_for cost per day?")
    await ask(shelf, model, "and how is it computed?")
    first, second = sent(model, 0), sent(model, 1)
    shown, _, _ = first.partition("Question:")
    assert second.startswith(shown)
    assert "Earlier question: what does fine_for cost per day?\nEarlier answer: 15 cents a day." in second
    assert second.endswith("Question: and how is it computed?")


async def test_a_follow_up_sees_what_changed_in_the_files(shelf: Bench) -> None:
    model = script("15 cents a day.", "20 cents.")
    await ask(shelf, model, "what does fine_for cost per day?")
    write(shelf.project / "shelf/fines.py", FILES["shelf/fines.py"].replace("15", "20"))
    await ask(shelf, model, "and what does fine_for cost now?")
    assert "CENTS_PER_DAY = 20" in sent(model, 1)
    assert "CENTS_PER_DAY = 15" not in sent(model, 1)


async def test_continue_asks_the_question_that_was_stopped(shelf: Bench) -> None:
    again = "The book is lent and then it is returned. " * 40
    await ask(shelf, script(again, again, "Stopped."), "How many days is a book lent?")
    model = script("For 21 days.")
    await ask(shelf, model, "Continue from where you stopped.", continues=True)
    assert sent(model).endswith("Question: How many days is a book lent?")


async def test_with_a_small_context_everything_fits(shelf: Bench) -> None:
    body = "\n\n".join(f"def lend_{n}(book):\n    return lend(book, {n})" for n in range(2000))
    write(shelf.project / "shelf/many.py", body)
    model = script("Somewhere.")
    await ask(shelf, model, "how does it lend? " * 200)
    tokens = sum(len(repr(message)) for message in model.requests[0].messages) / 3.2
    assert tokens + REPLY_TOKENS < 4096


async def test_a_line_too_long_to_be_written_by_hand_is_cut(shelf: Bench) -> None:
    write(shelf.project / "shelf/bundle.js", f"function lend(book){{}};{'x' * 100_000}")
    model = script("Somewhere.")
    await ask(shelf, model, "what does bundle.js lend?")
    assert "function lend" in sent(model)
    assert len(sent(model)) < 3000


async def test_a_secret_file_is_never_shown(shelf: Bench) -> None:
    write(shelf.project / ".env", "LEND_TOKEN=hunter2\n")
    model = script("No idea.")
    await ask(shelf, model, "what is the LEND_TOKEN in .env?")
    assert "hunter2" not in sent(model)


async def test_an_empty_reply_is_asked_again_and_the_files_stay_recorded(shelf: Bench) -> None:
    model = script(ScriptedReply(), "15 cents.")
    end = await ask(shelf, model, "what is fine_for?")
    assert (end.stop_reason, end.steps, len(model.requests)) == ("answered", 1, 2)
    kinds = [part.kind for part in (await shelf.answer()).parts]
    assert kinds == ["tool_call", "tool_result", "step_start", "text"]


async def test_two_empty_replies_end_the_turn(shelf: Bench) -> None:
    end = await ask(shelf, script(ScriptedReply(), ScriptedReply(), "I can't say."), "what is fine_for?")
    assert end.stop_reason == "empty_reply"
    assert shelf.sentinels() == [EmptyReply(count=2)]


async def test_a_reply_that_repeats_itself_gets_one_second_chance(shelf: Bench) -> None:
    again = "The book is lent and then it is returned. " * 40
    end = await ask(shelf, script(again, "For 21 days."), "How many days is a book lent?")
    assert end.stop_reason == "answered"
    assert [type(sentinel) for sentinel in shelf.sentinels()] == [ReplyCut]
    assert (await shelf.answer()).parts[-1] == Text(text="For 21 days.")


async def test_a_second_one_that_repeats_itself_ends_it(shelf: Bench) -> None:
    again = "The book is lent and then it is returned. " * 40
    end = await ask(shelf, script(again, again, "Sorry."), "How many days is a book lent?")
    assert end.stop_reason == "doom_loop"
    assert isinstance(shelf.sentinels()[-1], DoomLoop)


async def test_a_model_that_fails_leaves_a_failed_message_with_its_files(shelf: Bench) -> None:
    end = await ask(shelf, script(ScriptedReply(status=400)), "what is fine_for?")
    assert end.stop_reason == "model_error"
    assert isinstance(shelf.sentinels()[0], ModelFailed)
    answer = await shelf.answer()
    assert answer.status == "failed"
    assert isinstance(answer.parts[0], ToolCallPart)


async def test_an_abort_closes_the_message(shelf: Bench) -> None:
    task = asyncio.create_task(
        ask(shelf, script(ScriptedReply(text="For 21 " * 9, hang=3)), "How many days is a book lent?")
    )
    while not any(isinstance(frame, TextStreamed) for frame in shelf.frames):  # noqa: ASYNC110 - frames are a plain list
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shelf.sentinels() == [Aborted()]
    assert [frame.status for frame in shelf.frames if isinstance(frame, MessageComplete)] == ["cancelled"]


async def test_what_the_index_knows_of_a_name_is_shown_to_the_model(shelf: Bench, tmp_path: Path) -> None:
    write(shelf.project / "shelf" / "desk.py", "from shelf.fines import fine_for\n\nprint(fine_for(3))\n")
    files = ProjectFiles(shelf.project)

    async def every_file() -> tuple[str, ...]:
        return (await files.find_files("*", ".", 100)).paths

    index = ProjectIndex(shelf.project, tmp_path / "index", every_file)
    model = script("desk.py does.")
    plan = replace(shelf.plan(RetryingModel(model, sleep=no_sleep)), index=lambda: index)
    await run_guided_turn(
        plan,
        "who calls fine_for?",
        workspace=files,
        profile=PROFILE,
        store=shelf.store.messages,
        emit=shelf.frames.append,
        log=shelf.remember,
    )
    index.close()
    assert "function fine_for of shelf/fines.py is called by:\n- shelf/desk.py: print(fine_for(3))" in sent(model)
