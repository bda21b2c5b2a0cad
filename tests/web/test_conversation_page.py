"""A chat while it streams, and the folded details of its turns."""

import json
import re

import pytest
from playwright.async_api import Page, expect

from mulligan.workspace.sandbox.grants import read_grants
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, cards, ended, message_field, own_texts, say
from tests.web.scripts import calling, calls, hanging, saying, viewing

pytestmark = pytest.mark.asyncio(loop_scope="session")

MARKDOWN = """\
## What it does

It returns **one** letter:

1. `a.py` says *a*
2. `b.py` says *b*

| file | letter |
|------|--------|
| a.py | a      |

```python
def a():
    return "a"  # a letter
```

See [the manual](https://example.org/manual).
"""


async def test_an_answer_streams_and_is_drawn_as_markdown_with_code_in_colour(page: Page, served: Served) -> None:
    await served.play(saying(MARKDOWN, chunk_size=5))
    await begin(page, served, "what does it do?")
    await expect(own_texts(page)).to_have_text("what does it do?")
    await ended(page)
    answer = answers(page)
    await expect(answer.get_by_role("heading", name="What it does")).to_be_visible()
    await expect(answer.get_by_role("listitem")).to_have_count(2)
    await expect(answer.get_by_role("cell", name="a.py")).to_be_visible()
    await expect(answer.locator("pre .hljs-keyword").first).to_have_text("def")
    await expect(answer.locator("pre .hljs-comment")).to_have_text("# a letter")
    link = answer.get_by_role("link", name="the manual")
    await expect(link).to_have_attribute("rel", re.compile("noopener|noreferrer"))
    await expect(page.get_by_role("navigation").get_by_role("link", name="what does it do?")).to_be_visible()
    await expect(page).to_have_title("what does it do? · Mulligan")
    assert await grave_faults(page) == []


async def test_the_instructions_of_a_chat_are_named_with_what_was_left_out(page: Page, served: Served) -> None:
    file = served.project / "AGENTS.md"
    file.write_text("- Answer briefly.\n" * 2000)
    try:
        await served.play(saying("In a.py."))
        await begin(page, served, "where is a?")
        await ended(page)
    finally:
        file.unlink()
    told = page.locator(".chat-facts-instructions")
    await expect(told).to_have_text("Instructions: AGENTS.md · 2k of 10.3k tokens")
    await expect(told).to_have_attribute("title", re.compile("^AGENTS.md: 2,0[0-9]+ of about 10,285 tokens sent"))
    assert await grave_faults(page) == []


async def test_waiting_is_shown_with_how_far_the_prompt_is_read_and_for_how_long(page: Page, served: Served) -> None:
    progress = {"total": 3500, "cache": 0, "processed": 1200, "time_ms": 20_000}
    event = f"data: {json.dumps({'choices': [], 'prompt_progress': progress})}\n\n"
    # The second report is no further: it changes nothing, and the line keeps counting.
    await served.play({"raw": [event, event], "endless": True, "chunk_delay": 0.2})
    await begin(page, served, "read for long")
    line = answers(page).locator(".turn-waiting")
    await expect(line).to_contain_text("Reading the prompt, 34 %, 1,200 of 3,500 tokens, about 38 s left · ")
    await expect(line).to_have_text(re.compile(r"left · [2-9] s$"))
    await expect(line).to_have_count(1)
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Stop").click()
    await ended(page, "Stopped by you")
    await expect(line).to_have_count(0)


async def test_waiting_is_counted_in_seconds_and_the_end_shows_what_was_cached(page: Page, served: Served) -> None:
    usage = {"prompt_tokens": 1200, "completion_tokens": 5, "cached_tokens": 1000}
    await served.play(saying("Done.", delay=6.0, usage=usage))
    await begin(page, served, "think")
    await expect(answers(page).locator(".turn-waiting")).to_have_text(re.compile(r"^Waiting for the model… [1-9] s$"))
    await ended(page, "1,200 tokens in (83 % cached), 5 out")


async def test_html_and_scripts_in_an_answer_are_text_and_nothing_else(page: Page, served: Served) -> None:
    evil = '<img src=x onerror="document.title=1"> <script>document.title = 2</script> [x](javascript:document.title=3)'
    await served.play(saying(evil))
    await begin(page, served, "be evil")
    await ended(page)
    await expect(answers(page).locator("img, script, a[href^=javascript]")).to_have_count(0)
    await expect(page).to_have_title("be evil · Mulligan")


async def test_what_streamed_so_far_is_shown_and_a_stop_ends_it(page: Page, served: Served) -> None:
    await served.play(hanging("Once upon a time"))
    await begin(page, served, "tell a story")
    await expect(answers(page)).to_contain_text("Once upon a time")
    await expect(page).to_have_title("… tell a story · Mulligan")
    await expect(page.get_by_text("A turn is running: Enter queues your message until it ends.")).to_be_visible()
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Stop").click()
    await ended(page, "Stopped by you")
    await expect(answers(page)).to_contain_text("Once upon a time")
    await expect(cards(page)).to_contain_text("Stopped by you.")
    await served.play(saying("Gladly."))
    await say(page, "again")
    await ended(page, turns=2)
    await expect(answers(page).last).to_contain_text("Gladly.")


async def test_tool_calls_are_folded_into_a_line_and_show_everything_when_opened(page: Page, served: Served) -> None:
    await served.play(viewing("a.py", "b.py"), calling("grep", pattern="return"), saying("Two letters."))
    await begin(page, served, "which letters?")
    await ended(page)
    group = answers(page).get_by_text("Read 2 files, searched once")
    await expect(answers(page).get_by_text("return 'a'")).to_have_count(0)
    await group.click()
    await answers(page).get_by_text("a.py").click()
    await expect(answers(page).get_by_label("Result of view_file")).to_contain_text("return 'a'")
    await expect(answers(page).get_by_label("Argument path")).to_have_text("a.py")
    assert await grave_faults(page) == []
    await group.click()
    await expect(answers(page).get_by_label("Result of view_file")).to_have_count(0)


async def test_a_call_that_fails_says_so_in_its_line(page: Page, served: Served) -> None:
    await served.play(viewing("nowhere.py"), saying("There is none."))
    await begin(page, served, "look there")
    await ended(page)
    await expect(answers(page).locator(".call-outcome")).to_have_text("failed")


async def test_repairs_are_shown_at_the_call_and_under_the_turn(page: Page, served: Served) -> None:
    await served.play(calls(("view_file", '{"path": "a.py",}')), saying("One letter."))
    await begin(page, served, "sloppily")
    await ended(page, "1 repair")
    await expect(answers(page).locator(".call-repaired")).to_contain_text("repaired: ")


async def test_reasoning_is_folded(page: Page, served: Served) -> None:
    await served.play({"reasoning": "Let me think about letters.", "text": "It is a."})
    await begin(page, served, "think")
    await ended(page)
    await expect(answers(page).get_by_text("Let me think about letters.")).to_have_count(0)
    await answers(page).get_by_text(re.compile("^Thought")).click()
    await expect(answers(page).get_by_text("Let me think about letters.")).to_be_visible()


async def test_a_question_of_the_model_is_answered_by_one_of_its_options(page: Page, served: Served) -> None:
    asked = calling("ask_user", question="Which **letter**?", options=["the first", "the last"])
    await served.play(asked, saying("Then it is z."))
    await begin(page, served, "choose one")
    await ended(page, "Paused to ask you")
    question = page.get_by_role("region", name="The model asks")
    await expect(question.locator("strong")).to_have_text("letter")
    assert await grave_faults(page) == []
    await question.get_by_role("button", name="the last").click()
    await ended(page, turns=2)
    await expect(own_texts(page).last).to_have_text("the last")
    await expect(answers(page).last).to_contain_text("Then it is z.")
    await expect(question).to_have_count(0)


async def test_an_approval_is_given_by_a_button(page: Page, served: Served) -> None:
    await served.play(calling("run_command", command="git tag granted"), saying("Made."))
    await begin(page, served, "make it", agent="coder")
    card = page.get_by_role("region", name=re.compile("^Run this command"))
    await expect(card.get_by_label("The request")).to_have_text("git tag granted")
    await expect(answers(page).locator(".call-outcome")).to_have_text("waiting for you")
    await expect(page.get_by_role("navigation").get_by_text("asks you")).to_be_visible()
    assert await grave_faults(page) == []
    await card.get_by_role("button", name=re.compile("^Allow")).click()
    await ended(page)
    await expect(card).to_have_count(0)
    assert (served.project / ".git" / "refs" / "tags" / "granted").exists()


async def test_the_network_is_allowed_permanently_by_a_key(page: Page, served: Served) -> None:
    fetch = calling("run_command", command="curl -s http://127.0.0.1:9")
    await served.play(fetch, saying("Nobody is there."))
    await begin(page, served, "get it", agent="coder")
    card = page.get_by_role("region", name=re.compile("^Run this command"))
    await expect(card.get_by_role("button", name="Always allow the network")).to_be_enabled()
    assert await grave_faults(page) == []
    await card.press("a")
    await ended(page)
    assert read_grants(served.home, served.project).network


async def test_a_request_is_denied_by_a_key(page: Page, served: Served) -> None:
    await served.play(calling("run_command", command="git tag denied"), saying("Not made."))
    await begin(page, served, "do not tag it", agent="coder")
    card = page.get_by_role("region", name=re.compile("^Run this command"))
    await card.press("n")
    await ended(page)
    await expect(message_field(page)).to_be_focused()
    await expect(answers(page).locator(".call-outcome")).to_have_text("not allowed")
    assert not (served.project / ".git" / "refs" / "tags" / "denied").exists()


async def test_a_long_request_is_shown_whole_and_can_be_approved_once_all_of_it_was_seen(
    page: Page, served: Served
) -> None:
    words = " ".join(f"name{number}.txt" for number in range(1_000))
    await served.play(calling("run_command", command=f"git tag made && touch {words}"), saying("Made."))
    await begin(page, served, "make them", agent="coder")
    card = page.get_by_role("region", name=re.compile("^Run this command"))
    what, allow = card.get_by_label("The request"), card.get_by_role("button", name=re.compile("^Allow"))
    await expect(what).to_have_text(f"git tag made && touch {words}")
    hidden = "element => element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth"
    assert not await what.evaluate(hidden)
    # Whichever end is on the screen, the other one is not.
    await expect(allow).to_be_disabled()
    await card.press("y")
    await expect(card.get_by_text("Scroll through all of it first")).to_be_visible()
    assert not (served.project / "name0.txt").exists()
    for end in ("first", "last"):
        await what.evaluate(f"element => element.{end}ElementChild.scrollIntoView({{ behavior: 'instant' }})")
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await allow.click()
    await ended(page)
    assert (served.project / "name999.txt").exists()


async def test_an_answer_from_the_files_is_marked_as_synthesis(page: Page, served: Served) -> None:
    told = "It has one function in `a.py` and one in `b.py`, and both return a letter."
    await served.play(calling("get_codebase_overview"), saying(told), then="repeat_last")
    await begin(page, served, "what's in this codebase?")
    await ended(page, "Answered from the files")
    await expect(page.get_by_text(re.compile("^Synthesis — written from get_codebase_overview"))).to_be_visible()


async def test_an_unsent_message_survives_a_reload(page: Page, served: Served) -> None:
    await served.play(saying("Yes."))
    await begin(page, served, "kept?")
    await ended(page)
    await message_field(page).fill("half a sen")
    await page.reload()
    await expect(message_field(page)).to_have_value("half a sen")
