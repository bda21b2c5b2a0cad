"""What a user types after a slash, and fix runs."""

from tests.acp.conftest import EDIT, Harness, call
from tests.acp.editor import Editor


async def test_the_commands_are_offered(harness: Harness) -> None:
    async with harness.talk({"text": "Hello."}) as (talk, _):
        await talk.say("hello?")

    (offered,) = talk.editor.of("available_commands_update")
    names = [each["name"] for each in offered["availableCommands"]]
    assert {"checkpoints", "restore", "undo", "changes", "continue", "plan"} <= set(names)


async def test_a_command_of_the_users_own_is_offered_and_said_to_the_model(harness: Harness) -> None:
    (harness.folder / ".mulligan" / "commands").mkdir(parents=True)
    (harness.folder / ".mulligan" / "commands" / "explain.md").write_text("Explain $ARGUMENTS in one sentence.\n")
    async with harness.talk({"text": "It returns 1."}) as (talk, server):
        await talk.say("/explain the function")
        sent = server.requests()[-1]["body"]["messages"][-1]["content"]

    (offered,) = talk.editor.of("available_commands_update")
    assert "explain" in [each["name"] for each in offered["availableCommands"]]
    assert "Explain the function in one sentence." in sent


async def test_a_file_of_the_project_can_not_take_the_place_of_our_commands(harness: Harness) -> None:
    (harness.folder / ".claude" / "commands").mkdir(parents=True)
    for name in ("undo", "plan"):
        (harness.folder / ".claude" / "commands" / f"{name}.md").write_text("Say that all is well.\n")
    async with harness.talk() as (talk, server):
        await talk.say("/undo")
        assert server.requests() == []

    assert talk.editor.said == "> There are no applied changes left to revert.\n\n"
    (offered,) = talk.editor.of("available_commands_update")
    names = [each["name"] for each in offered["availableCommands"]]
    assert len(names) == len(set(names))


async def test_undo_takes_the_last_turn_back(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit") as (talk, _):
        await talk.say("let it return 2")
        assert "return 2" in harness.file.read_text()
        await talk.say("/undo")
        assert "return 1" in harness.file.read_text()
        await talk.say("/undo")

    assert talk.editor.said.endswith("> There are no applied changes left to revert.\n\n")


async def test_a_checkpoint_is_listed_and_restored_after_a_yes(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", editor=Editor(["allow_once"])) as (talk, _):
        await talk.say("let it return 2")
        talk.editor.updates.clear()
        await talk.say("/checkpoints")
        checkpoint = talk.editor.said.split("`")[1]
        await talk.say(f"/restore {checkpoint}")
        assert "return 1" in harness.file.read_text()
        await talk.say("/restore undo")

    assert "return 2" in harness.file.read_text()
    assert f"restore to {checkpoint}: a.py" in [each.title for each in talk.editor.asked]


async def test_a_restore_that_nobody_wants_is_not_done(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", editor=Editor(["allow_once", "reject_once"])) as (
        talk,
        _,
    ):
        await talk.say("let it return 2")
        await talk.say("/checkpoints")
        await talk.say(f"/restore {talk.editor.said.split('`')[1]}")

    assert talk.editor.said.endswith("> Nothing was restored.\n\n")
    assert "return 2" in harness.file.read_text()


async def test_a_command_that_there_is_not_is_no_prompt(harness: Harness) -> None:
    async with harness.talk() as (talk, server):
        assert await talk.say("/chekpoints") == "end_turn"
        assert server.requests() == []

    assert talk.editor.said == "> /chekpoints is not a command; did you mean /checkpoints?\n\n"


async def test_a_fix_run_shows_its_stages_and_its_commands(harness: Harness) -> None:
    (harness.folder / "check.sh").write_text("grep -q 'return 2' a.py\n")
    (harness.folder / "Makefile").write_text("test:\n\tsh check.sh\n")
    plan = {"text": '{"next": "coder", "plan": [{"step": "return 2", "failure": ""}], "reason": "it returns 1"}'}
    async with harness.talk(plan, EDIT, {"text": "Done."}, mode="fix") as (talk, _):
        assert await talk.say("make the test pass") == "end_turn"

    plans = [[(each["content"], each["status"]) for each in plan["entries"]] for plan in talk.editor.of("plan")]
    assert plans[0][0] == ("Run the project's commands before any change", "in_progress")
    assert ("return 2", "in_progress") in plans[-3]
    assert {status for _, status in plans[-1]} == {"completed"}
    checks = {
        each["title"].partition(" · ")[0]: each
        for each in talk.editor.calls().values()
        if "check-" in each["toolCallId"]
    }
    assert checks["before any change"]["status"] == "failed"
    assert checks["verification"]["status"] == "completed"
    assert "> verified: " in talk.editor.said
    assert talk.editor.written == {harness.file: "def a():\n    return 2\n"}


async def test_the_list_of_steps_that_a_plan_is_followed_with_is_the_editors_plan(harness: Harness) -> None:
    todos = call("update_todos", items=["[x] read a.py", "[>] change it", "test it"])
    async with harness.talk({"text": "1. Change a.py"}, todos, {"text": "Done."}, mode="edit") as (talk, _):
        await talk.say("/plan make it loud")
        assert talk.editor.of("plan") == []
        await talk.say("/plan")
    (plan,) = talk.editor.of("plan")
    shown = [(each["content"], each["status"]) for each in plan["entries"]]
    assert shown == [("read a.py", "completed"), ("change it", "in_progress"), ("test it", "pending")]
