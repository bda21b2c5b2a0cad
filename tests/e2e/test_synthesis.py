"""The six prompts of the synthesis pass, through the installed command, the real index and a real server process."""

import json
import signal
from typing import Any

import pytest

from mulligan.core.synthesis import SYNTHESIS_SYSTEM
from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.patience import PATIENCE
from tests.scripted_server import running

DOCUMENTS = {
    "MULLIGAN.md": "Prices are in cents.\n",
    "AGENTS.md": "Run the tests first.\n",
    "docs/2026-Roadmap.md": "# Plan\n- [x] cart\n- [ ] refunds\n",
    "CONTEXT.md": "A shop for books.\n",
}
CODE = {
    "README.md": "# Bookshop\n",
    "pyproject.toml": '[project]\nname = "bookshop"\n[project.scripts]\nbookshop = "bookshop.main:run"\n',
    "bookshop/__init__.py": "",
    "bookshop/main.py": "from bookshop.cart import Cart\n\n\ndef run():\n    return Cart().total()\n",
    "bookshop/cart.py": "from bookshop.money import cents\n\n\nclass Cart:\n    def total(self): return cents(1)\n",
    "bookshop/money.py": "def cents(amount):\n    return amount * 100\n",
    "bookshop/unread.txt": "not for reading\n",
}
ANSWER = "A shop for books. `bookshop/main.py` starts it and `bookshop/cart.py` adds up prices in cents (MULLIGAN.md)."


def calling(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


OVERVIEW = calling(("get_codebase_overview", {}))


@pytest.fixture
def shop(mulligan: Command) -> Command:
    for file in mulligan.project.iterdir():
        file.unlink()
    for path, text in (DOCUMENTS | CODE).items():
        file = mulligan.project / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return mulligan


def ask(
    shop: Command, replies: list[dict[str, Any]], prompt: str, agent: str = "default"
) -> tuple[Finished, list[dict[str, Any]]]:
    """What the command did, and the bodies of the requests that it sent."""
    with running(Script.model_validate({"replies": replies})) as server:
        done = shop.ask(server.base_url, "--agent", agent, prompt=[prompt])
        return done, [request["body"] for request in server.requests()]


def logged(shop: Command, event: str) -> list[dict[str, Any]]:
    lines = (shop.home / "logs" / "mulligan.log").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["event"] == event]


def statuses(done: Finished) -> list[str]:
    return [frame["status"] for frame in done.frames if frame["type"] == "message_complete"]


@pytest.mark.parametrize(
    ("agent", "prompt", "call"),
    [
        pytest.param("default", "what's in this codebase?", OVERVIEW, id="overview"),
        pytest.param("architect", "give me an overview of the architecture", OVERVIEW, id="architect overview"),
        pytest.param(
            "default", "what is still open in the plan?", calling(("get_semantic_neighborhoods", {})), id="plan"
        ),
        pytest.param("default", "what is it built with?", calling(("get_framework_analysis", {})), id="frameworks"),
    ],
)
def test_a_question_about_the_whole_is_answered_from_documents_and_top_files(
    agent: str, prompt: str, call: dict[str, Any], shop: Command
) -> None:
    done, (first, second) = ask(shop, [call, {"text": ANSWER}], prompt, agent)
    assert (done.end["stop_reason"], done.end["steps"], done.code) == ("synthesized", 1, 0)
    assert len(first["tools"]) == 13
    assert "tools" not in second
    system, user = (message["content"] for message in second["messages"])
    assert system == SYNTHESIS_SYSTEM
    for path, text in DOCUMENTS.items():
        assert f'<document path="{path}" lines="1-{text.count(chr(10))} of {text.count(chr(10))}">\n{text}' in user
    assert '<file path="bookshop/main.py"' in user
    assert user.endswith(f"Question: {prompt}")


def test_the_answer_streams_in_a_second_message_and_its_citations_are_compared(shop: Command) -> None:
    text = f"{ANSWER} See also `bookshop/unread.txt` and `bookshop/engine.py`."
    done, _ = ask(shop, [OVERVIEW, {"text": text}], "what's in this codebase?")
    assert statuses(done) == ["complete", "complete"]
    said = [frame for frame in done.frames if frame["type"] == "text_delta"]
    (beside,) = {frame["message_id"] for frame in said}
    assert beside != done.end["message_id"]
    note = "\n\nNot read: `bookshop/unread.txt`. Not in this project: `bookshop/engine.py`."
    assert "".join(frame["text"] for frame in said) == text + note
    (line,) = logged(shop, "synthesis")
    assert (line["message"], line["tool"], line["chat"]) == (beside, "get_codebase_overview", done.end["chat_id"])
    assert line["characters"] == len(text + note)
    assert line["files"][:4] == ["MULLIGAN.md", "AGENTS.md", "docs/2026-Roadmap.md", "CONTEXT.md"]
    assert {"README.md", "bookshop/main.py", "bookshop/cart.py"} <= set(line["files"])


def test_in_a_pipe_the_answer_is_printed_once(shop: Command) -> None:
    with running(Script.model_validate({"replies": [OVERVIEW, {"text": ANSWER}]})) as server:
        done = shop("ask", "--base-url", server.base_url, "what's in this codebase?")
    assert (done.stdout, done.code) == (ANSWER + "\n", 0)
    assert "✓ get_codebase_overview" in done.stderr


def test_the_chat_goes_on_from_the_answer(shop: Command) -> None:
    with running(Script.model_validate({"replies": [OVERVIEW, {"text": ANSWER}, {"text": "Yes."}]})) as server:
        chat = shop.ask(server.base_url, prompt=["what's in this codebase?"]).end["chat_id"]
        assert shop.ask(server.base_url, "--chat", chat, prompt=["sure?"]).code == 0
        contents = [message["content"] for message in server.requests()[-1]["body"]["messages"]]
    assert contents[-2:] == [ANSWER, "sure?"]
    exported = shop("chats", "export", chat).stdout
    assert "### Synthesis" in exported
    assert exported.count(ANSWER) == 1


@pytest.mark.parametrize(
    ("agent", "calls", "words"),
    [
        pytest.param(
            "reviewer", [("search_symbols", {"query": "Cart"})], ["bookshop/cart.py:4 class Cart"], id="reviewer"
        ),
        pytest.param(
            "debugger",
            [("search_symbols", {"query": "cents"}), ("get_dependencies", {"path": "bookshop/cart.py"})],
            ["bookshop/money.py:1", "bookshop/main.py: Cart"],
            id="debugger",
        ),
    ],
)
def test_narrow_questions_are_answered_without_a_synthesis(
    agent: str, calls: list[tuple[str, dict[str, Any]]], words: list[str], shop: Command
) -> None:
    done, (_, second) = ask(shop, [calling(*calls), {"text": "In bookshop/cart.py."}], "what is wrong?", agent)
    assert (done.end["stop_reason"], done.code, statuses(done)) == ("answered", 0, ["complete"])
    results = "\n".join(message["content"] for message in second["messages"] if message["role"] == "tool")
    assert all(word in results for word in words)
    assert second["tools"]


def test_a_failing_synthesis_falls_through_to_a_normal_answer(shop: Command) -> None:
    replies = [OVERVIEW, {"text": "A shop f", "finish_reason": "length", "times": 2}, {"text": "A shop."}]
    done, bodies = ask(shop, replies, "what's in this codebase?")
    assert (done.end["stop_reason"], done.end["steps"], done.code) == ("answered", 2, 0)
    assert statuses(done) == ["failed", "complete"]
    assert not [frame for frame in done.frames if frame["type"] == "sentinel"]
    (line,) = logged(shop, "synthesis_failed")
    exported = json.loads(shop("chats", "export", done.end["chat_id"], "--format", "json").stdout)
    _, own, beside = exported["messages"]
    assert (beside["id"], beside["status"], beside["parts"]) == (line["message"], "failed", [])
    assert (own["status"], own["parts"][-1]["text"]) == ("complete", "A shop.")
    normal = bodies[-1]["messages"]
    assert [message["role"] for message in normal] == ["system", "user", "assistant", "tool"]
    assert bodies[-1]["tools"] == bodies[0]["tools"]
    assert "### Synthesis" not in shop("chats", "export", done.end["chat_id"]).stdout


def test_an_abort_in_the_middle_of_it_ends_both_messages(shop: Command) -> None:
    with running(Script.model_validate({"replies": [OVERVIEW, {"text": ANSWER, "hang": 2}]})) as server:
        process = shop.start("ask", "--json", "--base-url", server.base_url, "--model", "m", "what's in here?")
        assert process.stdout is not None
        for line in process.stdout:
            if '"text_delta"' in line:
                process.send_signal(signal.SIGINT)
                break
        rest, errors = process.communicate(timeout=PATIENCE)
    frames = [json.loads(line) for line in rest.splitlines()]
    assert [frame["status"] for frame in frames if frame["type"] == "message_complete"] == ["failed", "cancelled"]
    assert (frames[-1]["stop_reason"], process.returncode, errors) == ("aborted", 130, "")


def test_a_coder_asks_for_no_overview_that_would_end_its_turn(shop: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Nothing to do."}], "then": "repeat_last"})) as server:
        shop("code", "--json", "--base-url", server.base_url, "--model", "m", "fix it")
        request = server.requests()[0]
    names = {tool["function"]["name"] for tool in request["body"]["tools"]}
    assert {"search_symbols", "get_dependencies"} <= names
    assert not {"get_codebase_overview", "get_framework_analysis", "get_semantic_neighborhoods"} & names
