"""A change that Mulligan drives: one line, pointed at, staged and checked."""

import json
from dataclasses import replace

import pytest

from mulligan.codecontext.syntax_check import TreeSitterSyntax
from mulligan.loop.guided_code import run_guided_change
from mulligan.models.scripted.model import ScriptedModel
from mulligan.models.wire.retrying import RetryingModel
from mulligan.tools.create_file import CreateFile
from mulligan.tools.edit_file import EditFile
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Text, ToolResultPart
from mulligan.types.profiles import ModelProfile
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.files.project_files import ProjectFiles
from tests.loop.turn_bench import Bench, no_sleep, script

PROFILE = ModelProfile(server="http://127.0.0.1:1/v1", model="small", context_length=4096)
FINES = "CENTS = 15\n\n\ndef fine_for(days):\n    if days > 0:\n        return days + CENTS\n    return 0\n"


@pytest.fixture
def shelf(bench: Bench) -> Bench:
    for path in bench.project.iterdir():
        path.unlink()
    (bench.project / "fines.py").write_text(FINES)
    return bench


async def change(
    bench: Bench,
    model: ScriptedModel,
    goal: str = "fine_for must multiply days by CENTS",
    *,
    apply_now: bool = True,
) -> TurnEnd:
    editing = StagedEditing(
        bench.project,
        bench.store.changes,
        project=str(bench.project),
        chat_id=bench.chat_id,
        message_id=None,
        apply_now=apply_now,
        on_change=lambda _change: None,
    )
    syntax = TreeSitterSyntax()
    plan = bench.plan(
        RetryingModel(model, sleep=no_sleep), tools=[EditFile(editing, syntax), CreateFile(editing, syntax)]
    )
    return await run_guided_change(
        replace(plan, pending=editing.pending_count),
        goal,
        workspace=ProjectFiles(bench.project, staged=editing.staged),
        syntax=syntax,
        profile=PROFILE,
        store=bench.store.messages,
        emit=bench.frames.append,
        log=bench.remember,
    )


def pointing(old: str, new: str) -> str:
    return json.dumps({"old": old, "new": new})


async def test_the_line_that_was_pointed_at_is_changed(shelf: Bench) -> None:
    model = script("It adds.", pointing("return days + CENTS", "return days * CENTS"))
    end = await change(shelf, model)
    assert (end.stop_reason, end.unapplied, end.exit_code) == ("answered", (), 0)
    assert (shelf.project / "fines.py").read_text() == FINES.replace("+", "*")


async def test_the_line_is_chosen_among_those_that_were_shown(shelf: Bench) -> None:
    model = script("It adds.", pointing("return days + CENTS", "return days * CENTS"))
    await change(shelf, model)
    first, second = model.requests
    assert (first.schema, first.tools) == (None, ())
    assert second.schema is not None
    assert "return days + CENTS" in second.schema["properties"]["old"]["enum"]
    assert second.messages[: len(first.messages)] == first.messages


async def test_a_change_that_would_not_parse_is_asked_for_once_more(shelf: Bench) -> None:
    broken = pointing("return days + CENTS", "return days * (CENTS")
    end = await change(shelf, script("It adds.", broken, pointing("return days + CENTS", "return days * CENTS")))
    assert end.exit_code == 0
    assert (shelf.project / "fines.py").read_text() == FINES.replace("+", "*")


async def test_a_change_that_can_not_be_used_twice_leaves_the_file_alone_and_is_no_success(shelf: Bench) -> None:
    broken = pointing("return days + CENTS", "return days * (CENTS")
    end = await change(shelf, script("It adds.", broken, broken))
    assert (end.unapplied, end.exit_code) == (("fines.py",), 4)
    assert (shelf.project / "fines.py").read_text() == FINES
    (failed,) = [part for part in (await shelf.answer()).parts if isinstance(part, ToolResultPart) and part.failure]
    assert "would not parse" in failed.content


STUB = 'CENTS = 15\n\n\ndef fine_for(days):\n    """What late days cost."""\n    raise NotImplementedError\n'
WRITTEN = "def fine_for(days):\n    return max(0, days) * CENTS"


async def test_a_stub_is_written_whole(shelf: Bench) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    model = script(f"Here you are:\n\n```python\n{WRITTEN}\n```\nIt multiplies.")
    end = await change(shelf, model, "implement fine_for")
    assert (end.stop_reason, end.exit_code, len(model.requests)) == ("answered", 0, 1)
    assert (shelf.project / "fines.py").read_text() == f"CENTS = 15\n\n\n{WRITTEN}\n"


async def test_a_function_that_is_asked_for_and_not_there_is_added(shelf: Bench) -> None:
    model = script("```python\ndef is_late(days):\n    return days > 0\n```")
    end = await change(shelf, model, "add a function is_late(days) to fines.py")
    assert end.exit_code == 0
    assert (shelf.project / "fines.py").read_text() == f"{FINES}\n\ndef is_late(days):\n    return days > 0\n"


async def test_written_code_that_does_not_parse_is_asked_for_once_more(shelf: Bench) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    broken = "```python\ndef fine_for(days:\n    return 1\n```"
    end = await change(shelf, script(broken, f"```python\n{WRITTEN}\n```"), "implement fine_for")
    assert end.exit_code == 0
    assert WRITTEN in (shelf.project / "fines.py").read_text()


async def test_written_code_that_can_not_be_used_twice_leaves_the_file_alone(shelf: Bench) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    end = await change(shelf, script("I can't.", "Sorry."), "implement fine_for")
    assert (end.unapplied, end.exit_code) == (("fines.py",), 4)
    assert (shelf.project / "fines.py").read_text() == STUB


TEST = "class FineTest(unittest.TestCase):\n    def test_fine(self):\n        self.assertEqual(fine_for(2), 30)"


async def test_a_test_is_proposed_where_the_project_has_none_and_waits_with_the_function(shelf: Bench) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    model = script(f"```python\n{WRITTEN}\n```", f"```python\n{TEST}\n```")
    end = await change(shelf, model, "implement fine_for", apply_now=False)
    assert (end.stop_reason, end.pending) == ("answered", 2)
    assert not (shelf.project / "test_fines.py").exists()
    pending = await shelf.store.changes.list(project=str(shelf.project))
    assert [each.path for each in pending] == ["fines.py", "test_fines.py"]
    said = [part.text for part in (await shelf.answer()).parts if isinstance(part, Text)]
    assert "Proposed: a test in test_fines.py" in " ".join(said)


@pytest.mark.parametrize(
    ("tested", "apply_now"),
    [
        pytest.param("def test_fine():\n    assert fine_for(0) == 0\n", False, id="the project has a test of it"),
        pytest.param("", True, id="changes are applied as they come: nobody would approve it"),
    ],
)
async def test_no_test_is_proposed(shelf: Bench, tested: str, apply_now: bool) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    if tested:
        (shelf.project / "test_money.py").write_text(tested)
    model = script(f"```python\n{WRITTEN}\n```")
    end = await change(shelf, model, "implement fine_for", apply_now=apply_now)
    assert (end.stop_reason, len(model.requests)) == ("answered", 1)


async def test_a_proposal_that_is_no_test_is_dropped_and_the_function_stays(shelf: Bench) -> None:
    (shelf.project / "fines.py").write_text(STUB)
    end = await change(shelf, script(f"```python\n{WRITTEN}\n```", "I can't."), "implement fine_for", apply_now=False)
    assert (end.stop_reason, end.pending, end.exit_code) == ("answered", 1, 6)
