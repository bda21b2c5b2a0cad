"""What a message names is given to the model with it, and said in the frames."""

import json
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer
from tests.e2e.command import Command, Finished
from tests.scripted_server import running


def asked(server: RunningServer, place: int = -1) -> str:
    """All that the user's messages of a request hold."""
    messages: list[dict[str, Any]] = server.requests()[place]["body"]["messages"]
    return "\n\n".join(each["content"] for each in messages if each["role"] == "user")


def ask(mulligan: Command, prompt: str, *more: str) -> tuple[Finished, str]:
    with running(Script.model_validate({"replies": [{"text": "Read."}], "then": "loop"})) as server:
        done = mulligan.ask(server.base_url, *more, prompt=[prompt])
        return done, asked(server)


def attached(done: Finished) -> list[dict[str, Any]]:
    return done.frames[0]["attached"]


def test_a_file_that_is_named_stands_before_the_question(mulligan: Command) -> None:
    done, sent = ask(mulligan, "What does @a.py return?")
    assert sent == (
        "@a.py in the message below is a.py (lines 1-2 of 2)\n1: def a():\n2:     return 'a'\n\nWhat does @a.py return?"
    )
    assert done.frames[0]["prompt"] == "What does @a.py return?"
    assert attached(done) == [{"name": "@a.py", "about": "a.py (lines 1-2 of 2)", "masked": 0, "problem": ""}]


def test_only_the_lines_that_are_named_are_given(mulligan: Command) -> None:
    (mulligan.project / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 60)))
    _, sent = ask(mulligan, "see @long.txt:10-12")
    assert "10: line 10\n11: line 11\n12: line 12\n" in sent
    assert "line 13" not in sent
    assert "line 9\n" not in sent


def test_a_symbol_is_given_with_its_definition(mulligan: Command) -> None:
    (mulligan.project / "shop.py").write_text(
        "class Shop:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n"
    )
    done, sent = ask(mulligan, "why does @Shop.close do that?")
    assert "5:     def close(self):\n6:         return 2" in sent
    assert "def open" not in sent
    assert attached(done)[0]["about"].startswith("shop.py (lines 5-6 of 6)")


def test_a_folder_is_given_as_a_list(mulligan: Command) -> None:
    (mulligan.project / "sub").mkdir()
    (mulligan.project / "sub" / "inner.py").write_text("x = 1\n")
    _, sent = ask(mulligan, "what is in @sub/ then?")
    assert "inner.py (6 B)" in sent


def test_names_that_nothing_has_stay_text_and_the_request_is_as_it_was(mulligan: Command) -> None:
    done, sent = ask(mulligan, "ask @nobody about me@home.org and @missing/file.py")
    assert sent == "ask @nobody about me@home.org and @missing/file.py"
    assert attached(done) == []


def test_files_with_secrets_are_refused_and_secrets_in_others_are_masked(mulligan: Command) -> None:
    (mulligan.project / ".env").write_text("TOKEN=abc\n")
    (mulligan.project / "settings.py").write_text('password = "hunter2-Zx81-qqrt"\n')
    done, sent = ask(mulligan, "@.env and @settings.py")
    assert "TOKEN" not in sent
    assert "hunter2" not in sent
    assert "[1 value is masked.]" in sent
    refused, masked = attached(done)
    assert "may hold secrets" in refused["problem"]
    assert masked["masked"] == 1


def test_a_line_that_is_not_there_is_told(mulligan: Command) -> None:
    done, sent = ask(mulligan, "@a.py:50-60")
    assert sent == "@a.py:50-60"
    assert attached(done)[0]["problem"] == "a.py has 2 lines; there is no line 50."


def test_a_long_file_is_cut_to_the_context(mulligan: Command) -> None:
    (mulligan.project / "big.txt").write_text("".join(f"{number} {'x' * 90}\n" for number in range(1, 400)))
    style = {"kind": "llama.cpp", "context_length": 4096, "overflow": "refuse"}
    replies = [{"text": "Hello.", "times": 1}, {"text": "Read."}]
    with running(Script.model_validate({"replies": replies, "server_style": style})) as server:
        first = mulligan.ask(server.base_url, prompt=["@big.txt, before anything is known of the model"])
        done = mulligan.ask(server.base_url, prompt=["@big.txt"])
        sent = asked(server)
    assert (first.code, done.code) == (0, 0)
    assert len(sent) < 4096
    assert "not shown; call view_file with start_line=" in sent


def test_the_terminal_says_what_was_given(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Read."}]})) as server:
        done = mulligan("ask", "--base-url", server.base_url, "--model", "m", "@a.py")
    assert "given with the message: @a.py · a.py (lines 1-2 of 2)" in done.stderr
    assert done.stdout == "Read.\n"


def test_the_export_names_what_was_given_and_a_later_turn_still_sends_it(mulligan: Command) -> None:
    done, _ = ask(mulligan, "see @a.py")
    chat = done.end["chat_id"]
    _, sent = ask(mulligan, "and now?", "--chat", chat)
    assert "return 'a'" in sent
    exported = mulligan("chats", "export", chat).stdout
    assert "given with the message" in exported
    assert "return 'a'" not in exported


def test_a_coder_is_given_files_as_its_pending_edits_leave_them(mulligan: Command) -> None:
    edit = {"name": "edit_file", "arguments": {"path": "a.py", "old": "return 'a'", "new": "return 'A!'"}}
    script = Script.model_validate({"replies": [{"tool_calls": [edit]}, {"text": "Done."}, {"text": "Read."}]})
    with running(script) as server:
        options = ("--json", "--base-url", server.base_url, "--model", "m")
        first = mulligan("code", *options, "change a")
        mulligan("code", *options, "--chat", first.end["chat_id"], "look at @a.py")
        assert "2:     return 'A!'" in asked(server)


def test_a_guided_model_is_shown_what_was_named_first(mulligan: Command) -> None:
    _, sent = ask(mulligan, "what does it give back? @b", "--agency", "guided")
    assert sent.startswith("File b.py:\n```\ndef b():\n    return 'b'\n```")


def write(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("folder", [".mulligan/commands", ".claude/commands", ".opencode/command"])
def test_a_command_of_the_project_becomes_the_message_it_stands_for(folder: str, mulligan: Command) -> None:
    write(mulligan.project, f"{folder}/explain.md", "---\ndescription: d\n---\nExplain $1 to a child. See @a.py.\n")
    done, sent = ask(mulligan, "/explain recursion")
    assert sent.endswith("Explain recursion to a child. See @a.py.")
    assert "return 'a'" in sent
    assert done.frames[0]["prompt"] == "Explain recursion to a child. See @a.py."


def test_a_users_own_command_stands_before_the_projects(mulligan: Command) -> None:
    write(mulligan.home, "commands/explain.md", "Mine: $ARGUMENTS")
    write(mulligan.project, ".claude/commands/explain.md", "Theirs: $ARGUMENTS")
    assert ask(mulligan, "/explain it")[1] == "Mine: it"


def test_what_a_commands_file_wants_run_is_told_and_not_run(mulligan: Command) -> None:
    write(mulligan.project, ".claude/commands/state.md", "State: !`touch ran`")
    done, sent = ask(mulligan, "/state")
    assert sent == "State: !`touch ran`"
    assert not (mulligan.project / "ran").exists()
    assert "wants `touch ran` to be run: it was not" in done.stderr


def test_a_command_file_that_leads_out_of_the_project_is_none(mulligan: Command) -> None:
    outside = mulligan.home.parent / "outside.md"
    outside.write_text("secret words")
    write(mulligan.project, ".claude/commands/fine.md", "fine")
    (mulligan.project / ".claude/commands/leak.md").symlink_to(outside)
    assert ask(mulligan, "/leak")[1] == "/leak"


def test_a_message_without_names_is_sent_as_it_was_before(mulligan: Command) -> None:
    done, sent = ask(mulligan, "where is it?")
    assert sent == "where is it?"
    assert json.dumps(done.frames[0]["attached"]) == "[]"
