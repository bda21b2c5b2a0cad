"""Skills are named in the prompt and read when they are needed; a plan is made by one agent and followed by another."""

from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.scripted_server import running


def write_skill(folder: Path, name: str, description: str, body: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")


def tools(request: dict[str, Any]) -> list[str]:
    return [each["function"]["name"] for each in request["body"]["tools"]]


def calls(done: Finished) -> list[dict[str, Any]]:
    return [each for each in done.frames if each["type"] == "tool_call"]


def test_a_skill_is_named_in_the_prompt_and_its_body_comes_when_asked_for(mulligan: Command) -> None:
    write_skill(mulligan.project / ".claude" / "skills", "release", "How we release.", "Tag it, then rest.")
    write_skill(mulligan.home / "skills", "greet", "How I greet.", "Wave.")
    call = {"tool_calls": [{"name": "read_skill", "arguments": {"name": "Release"}}]}
    wrong = {"tool_calls": [{"name": "read_skill", "arguments": {"name": "cook"}}]}
    with running(Script.model_validate({"replies": [call, wrong, {"text": "Tag it."}]})) as server:
        done = mulligan.ask(server.base_url, prompt=["how do we release?"])
        first = server.requests()[0]
    system = first["body"]["messages"][0]["content"]
    assert system.endswith("read_skill:\n- greet: How I greet.\n- release: How we release.")
    assert "Tag it" not in system
    assert tools(first) == sorted(tools(first))
    told = [each["content"] for each in done.frames if each["type"] == "tool_result"]
    assert told[0].endswith("Tag it, then rest.")
    assert "There is no skill 'cook'. There are: greet, release." in told[1]


@pytest.mark.parametrize("mine", [True, False])
def test_files_beside_a_skill_are_read_and_no_others(mulligan: Command, mine: bool) -> None:
    folder = mulligan.home / "skills" if mine else mulligan.project / ".mulligan" / "skills"
    write_skill(folder, "release", "How we release.", "See steps/tag.md.")
    (folder / "release" / "steps").mkdir()
    (folder / "release" / "steps" / "tag.md").write_text("Tag it.\n")
    (folder / "release" / ".env").write_text("KEY=1\n")
    (folder / "other.md").write_text("other\n")
    (folder / "release" / "link.md").symlink_to("../other.md")
    names = ("steps/tag.md", "missing.md", "../other.md", "link.md", ".env", "/etc/passwd", "x" * 300)
    replies = [
        {"tool_calls": [{"name": "read_skill", "arguments": {"name": "release", "file": each}}]} for each in names
    ]
    with running(Script.model_validate({"replies": [*replies, {"text": "Tag it."}]})) as server:
        done = mulligan.ask(server.base_url, prompt=["how do we release?"])
    read, missing, *others, too_long = [each["content"] for each in done.frames if each["type"] == "tool_result"]
    assert read == "steps/tag.md of release:\n\nTag it.\n"
    assert missing.startswith("There is no file missing.md in the skill's folder. There are: SKILL.md, link.md")
    assert all("only files in the skill's folder are" in each for each in others)
    assert "There is no file" in too_long


def test_a_guided_model_is_given_the_skill_its_question_is_about_and_people_see_which(mulligan: Command) -> None:
    write_skill(mulligan.project / ".claude" / "skills", "release", "How we release.", "Tag it, then rest.")
    write_skill(mulligan.home / "skills", "greet", "How I greet.", "Wave.")
    with running(Script.model_validate({"replies": [{"text": "Tag it."}, {"text": "A function."}]})) as server:
        done = mulligan.ask(server.base_url, "--agency", "guided", prompt=["how do we release?"])
        other = mulligan.ask(server.base_url, "--agency", "guided", prompt=["what is in a.py?"])
        first, second = (request["body"]["messages"][-1]["content"] for request in server.requests())
    assert "From the skill release:\nTag it, then rest.\n\nQuestion: how do we release?" in first
    assert "Wave" not in first
    assert "skill" not in second
    assert [call["arguments"] for call in calls(done) if call["name"] == "read_skill"] == [{"name": "release"}]
    assert "read_skill" not in {call["name"] for call in calls(other)}


def test_a_guided_change_is_made_as_a_skill_says(mulligan: Command) -> None:
    write_skill(mulligan.project / ".claude" / "skills", "greetings", "How texts greet.", "Greet in capitals.")
    with running(
        Script.model_validate({"replies": [{"text": "Line 2 is wrong."}, {"text": "{}", "times": 2}]})
    ) as server:
        options = ("--json", "--base-url", server.base_url, "--model", "m", "--agency", "guided")
        done = mulligan("code", *options, "change the greetings in a.py")
        assert (
            "From the skill greetings:\nGreet in capitals." in server.requests()[0]["body"]["messages"][-1]["content"]
        )
    assert "read_skill" in {call["name"] for call in calls(done)}


def test_without_skills_no_request_speaks_of_them(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Yes."}]})) as server:
        mulligan.ask(server.base_url)
        request = server.requests()[0]
    assert "read_skill" not in tools(request)
    assert "update_todos" not in tools(request)
    assert "skill" not in request["body"]["messages"][0]["content"].lower()


def test_a_plan_is_made_by_an_agent_that_reads_and_followed_by_one_that_writes(mulligan: Command) -> None:
    todos = {"name": "update_todos", "arguments": {"items": ["[x] read a.py", "[>] change it"]}}
    edit = {"name": "edit_file", "arguments": {"path": "a.py", "old": "return 'a'", "new": "return 'A'"}}
    replies = [{"text": "1. Change a.py"}, {"tool_calls": [todos]}, {"tool_calls": [edit]}, {"text": "Done."}]
    with running(Script.model_validate({"replies": replies})) as server:
        options = ("--json", "--base-url", server.base_url, "--model", "m")
        planned = mulligan("code", *options, "/plan make it loud")
        chat = planned.end["chat_id"]
        followed = mulligan("code", *options, "--chat", chat, "/plan")
        refused = mulligan("ask", *options, "--chat", chat, "--agent", "default", "/plan")
        first, second = server.requests()[:2]
    assert planned.frames[0]["agent"] == "architect"
    assert first["body"]["messages"][-1]["content"].startswith("Plan this, and change nothing yet: make it loud")
    assert "edit_file" not in tools(first)
    assert {"edit_file", "update_todos"} <= set(tools(second))
    shown = [each["content"] for each in followed.frames if each["type"] == "tool_result"]
    assert shown[0] == "[x] read a.py\n[>] change it"
    assert (followed.end["pending"], followed.code) == (1, 6)
    assert refused.code == 2
    assert "default only reads, and can't follow a plan" in refused.stderr


def test_a_plan_that_a_guard_stopped_is_followed_on_with_its_list(mulligan: Command) -> None:
    same = {"tool_calls": [{"name": "view_file", "arguments": {"path": "a.py"}}], "times": 3}
    replies = [{"text": "1. Change a.py"}, same, {"text": "I went in circles."}, {"text": "Nothing was needed."}]
    with running(Script.model_validate({"replies": replies})) as server:
        options = ("--json", "--base-url", server.base_url, "--model", "m")
        chat = mulligan("code", *options, "/plan make it loud").end["chat_id"]
        assert mulligan("code", *options, "--chat", chat, "/plan").code == 3
        mulligan("code", *options, "--chat", chat, "--continue")
        assert "update_todos" in tools(server.requests()[-1])
