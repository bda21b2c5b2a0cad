import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt

from mulligan.app.chat_export import ChatExport, closed, fenced, to_json, to_markdown
from mulligan.types.messages import (
    AttachmentInfo,
    Chat,
    Message,
    Metadata,
    Part,
    Reasoning,
    Role,
    StepStart,
    Synthesis,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)
from mulligan.types.sentinels import DoomLoop, Interrupted, MistakeRecovery

CHAT = Chat(
    id="ab12", project="/projects/shop", title="Where is *it*?", agent="default", created_at=0.0, updated_at=9.0
)
ENDED = TurnMeta(agent="default", model="qwen", stop_reason="doom_loop", steps=2, duration_ms=1500)


def message(seq: int, role: Role, metadata: Metadata, *parts: Part, step: int | None = None) -> Message:
    return Message(
        id=f"m{seq}",
        chat_id="ab12",
        seq=seq,
        role=role,
        status="complete",
        metadata=metadata,
        parts=parts,
        step=step,
        created_at=float(seq),
    )


def export(*messages: Message) -> ChatExport:
    return ChatExport(chat=CHAT, messages=messages)


STORY = export(
    message(1, "user", UserMeta(), Text(text="Where is it?")),
    message(
        2,
        "assistant",
        ENDED,
        StepStart(step=1),
        Reasoning(text="let me see"),
        Text(text="Looking:\n- here"),
        ToolCallPart(call_id="1", name="grep", arguments={"pattern": "it"}, repairs=("trailing_comma",)),
        ToolCallPart(call_id="2", name="view_file", arguments={"path": "a`b.py"}),
        ToolResultPart(call_id="1", name="grep", content="a.md:1: ```\nb.md:2: it", duration_ms=3),
        ToolResultPart(call_id="2", name="view_file", content="there is none", failure="exec_error", duration_ms=1),
        StepStart(step=2, wrap_up=True),
        Text(text="I don't know."),
    ),
    message(3, "system", MistakeRecovery(failure_kinds=("exec_error",), count=3, escalated=False), step=1),
    message(4, "system", DoomLoop(tools=("grep",), cycle=1, count=3), step=2),
)


def test_markdown_reads_in_the_order_things_happened() -> None:
    assert to_markdown(STORY) == snapshot("""\
# Where is \\*it\\*?

- chat ab12
- agent default
- project /projects/shop
- begun 1970-01-01 00:00 UTC

## You

Where is it?

## Mulligan (default, qwen)

### Step 1

*Thought: 3 words.*

Looking:
- here

Tools:

- ✓ `grep it` 2 lines · 3 ms · repaired: trailing\\_comma

  ````
  a.md:1: ```
  b.md:2: it
  ````

- ✗ `` view_file a`b.py `` failed: there is none · 1 ms

  ```
  there is none
  ```

> **mistake\\_recovery** Hit repeated different errors — recovery guidance injected, continuing.

### Step 2 (last words)

I don't know.

> **doom\\_loop** The model made the same grep call 3 times — stopped the turn.

*2 steps · 1.5 s · stopped: going in circles*
""")


def test_what_a_command_of_the_users_said_is_shown() -> None:
    ran = UserMeta(attached=(AttachmentInfo(name="!ls", about="exit code 0"),), is_note=True)
    said = "The user ran `ls`: exit code 0\na.py"
    text = to_markdown(export(message(1, "user", ran, Text(text=said, attached="!ls"))))
    assert text.endswith(f"## You\n\n*given with the message: !ls · exit code 0*\n\n```\n{said}\n```\n")


def test_json_loads_back_into_the_same_messages() -> None:
    assert ChatExport.model_validate_json(to_json(STORY)) == STORY


def test_a_sentinel_without_a_step_comes_last() -> None:
    text = to_markdown(
        export(
            message(1, "user", UserMeta(), Text(text="Hi")),
            message(2, "assistant", ENDED, StepStart(step=1), Text(text="Hel")),
            message(3, "system", Interrupted()),
        )
    )
    assert text.index("Hel") < text.index("> **interrupted**")


BESIDE = TurnMeta(agent="default", model="qwen", stop_reason="synthesized", parent_message_id="m2")


def test_a_synthesis_stands_after_the_turn_that_called_for_it() -> None:
    written = (Text(text="A shop."), Synthesis(tool="get_codebase_overview", files=("a.py",)))
    text = to_markdown(
        export(
            message(1, "user", UserMeta(), Text(text="What?")),
            message(2, "assistant", ENDED.model_copy(update={"stop_reason": "synthesized"}), StepStart(step=1)),
            message(3, "assistant", BESIDE, StepStart(step=1), *written),
        )
    )
    assert text.endswith(
        "*2 steps · 1.5 s · answered from the files*\n\n### Synthesis\n\nA shop.\n\n"
        "*Synthesis of get\\_codebase\\_overview from a.py*\n"
    )


def test_a_synthesis_that_failed_is_not_shown_and_keeps_no_sentinel_for_itself() -> None:
    failed = message(3, "assistant", BESIDE).model_copy(update={"status": "failed"})
    text = to_markdown(
        export(
            message(2, "assistant", ENDED, StepStart(step=1), Text(text="I don't know.")),
            failed,
            message(4, "system", DoomLoop(tools=("grep",), cycle=1, count=3), step=1),
        )
    )
    assert "Synthesis" not in text
    assert "> **doom\\_loop**" in text


def test_a_long_result_is_shortened_and_says_so() -> None:
    result = ToolResultPart(call_id="1", name="grep", content="\n".join(map(str, range(100))))
    text = to_markdown(export(message(1, "assistant", ENDED, StepStart(step=1), result)))
    assert "  59\n  … 40 more lines\n" in text


MARKDOWN = st.lists(
    st.sampled_from(
        ["word", "```", "````", "~~~", "```python", "- item", "  ```", "    code", "> quote", "> ```", "<!--", "-->",
         "<pre>", "1. x", "", "\t```", "\ttab", "` `` `", "# h", "| a |", "|---|", "***", "[a]: b", "  ", "&lt;", "\\"]
    )
    | st.text(st.sampled_from("`~ \t-a\n<>!"), max_size=8),
    max_size=12,
).map("\n".join)  # fmt: skip


@given(MARKDOWN)
@example("```\nopen")
@example("<!-- open")
@example("- ```\n  open in a list")
def test_a_message_can_not_swallow_what_follows_it(text: str) -> None:
    tokens = MarkdownIt().parse(f"{closed(text)}\n\n## You\n")
    assert [token.type for token in tokens[-3:]] == ["heading_open", "inline", "heading_close"]
    assert tokens[-2].content == "You"


@given(said=MARKDOWN, content=MARKDOWN)
@example(said="- a list", content="```\n````\n")
@example(said="```", content="\t\ttabs")
def test_a_result_is_one_code_block_whatever_it_holds(said: str, content: str) -> None:
    part = ToolResultPart(call_id="1", name="grep", content=content)
    story = export(
        message(1, "assistant", ENDED, StepStart(step=1), Text(text=said), part), message(2, "user", UserMeta())
    )
    tokens = MarkdownIt().parse(to_markdown(story))
    fences = [token.content for token in tokens if token.type == "fence" and token.level == 2]
    assert fences[-1:] == [content + "\n"]
    assert tokens[-2].content == "You"


@pytest.mark.parametrize("text", ["", "plain", "```", "a ```` b", "~~~"])
def test_a_fence_is_longer_than_any_within(text: str) -> None:
    tokens = MarkdownIt().parse(fenced(text) + "\nafter")
    assert tokens[0].content == text + "\n"
    assert tokens[-2].content == "after"
