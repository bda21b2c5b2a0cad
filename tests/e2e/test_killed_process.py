"""Processes die, and share one database."""

import json
from concurrent.futures import ThreadPoolExecutor

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.patience import PATIENCE
from tests.scripted_server import running


def test_after_kill_9_in_mid_stream_the_row_is_failed_and_the_chat_goes_on(mulligan: Command) -> None:
    # Forty words that are all different, so that the guard against repetition has nothing to say.
    text = "It is in " + " ".join(f"{a}{b}{a}{b}" for a in "abcdefgh" for b in "ijklm")
    script = Script.model_validate({"replies": [{"text": text, "chunk_size": 5, "chunk_delay": 0.05}]})
    with running(script) as server:
        process = mulligan.start("ask", "--json", "--base-url", server.base_url, "--model", "m", "where?")
        assert process.stdout is not None
        chat = json.loads(process.stdout.readline())["chat_id"]
        # Later than the first write of streamed text, which is due after 0.4 s of them.
        seen = [next(line for line in process.stdout if '"text_delta"' in line) for _ in range(14)]
        assert len(seen) == 14
        process.kill()
        process.communicate(timeout=PATIENCE)

    shown = mulligan("chats", "show", chat, "--json")
    user, answer, sentinel = json.loads(shown.stdout)["messages"]
    assert (user["status"], answer["status"], sentinel["metadata"]["kind"]) == ("complete", "failed", "interrupted")
    (said,) = [part["text"] for part in answer["parts"] if part["kind"] == "text"]
    assert text.startswith(said)

    with running(Script.model_validate({"replies": [{"text": "Yes."}]})) as server:
        assert mulligan.ask(server.base_url, "--chat", chat, prompt=["and?"]).code == 0


def test_a_chat_that_is_being_answered_is_not_answered_twice(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Well " * 9, "hang": 2}]})) as server:
        process = mulligan.start("ask", "--json", "--base-url", server.base_url, "--model", "m", "where?")
        assert process.stdout is not None
        chat = json.loads(process.stdout.readline())["chat_id"]
        second = mulligan.ask(server.base_url, "--chat", chat)
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert second.code == 2
    assert str(process.pid) in second.stderr


def test_many_processes_share_one_database(mulligan: Command) -> None:
    replies = [{"tool_calls": [{"name": "view_file", "arguments": {"path": "a.py"}}]}, {"text": "In a.py."}]
    with ThreadPoolExecutor(4) as pool:

        def ask(_: int) -> int:
            with running(Script.model_validate({"replies": replies})) as server:
                return mulligan.ask(server.base_url).code

        assert list(pool.map(ask, range(8))) == [0] * 8
    assert len(mulligan("chats", "list", "--json").stdout.splitlines()) == 8
