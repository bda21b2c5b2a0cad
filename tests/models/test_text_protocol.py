from mulligan.models.protocols.text_protocol import TextProtocol
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.types.model_io import (
    AssistantReply,
    CallDelta,
    Finished,
    ModelRequest,
    SentCall,
    SystemText,
    TextDelta,
    ToolReply,
    UserText,
)
from mulligan.types.tool_calls import ToolSpec

ASK = ToolSpec(
    "ask_user",
    "Ask.",
    {
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "What to ask."},
            "kind": {"enum": ["open", "closed"]},
            "options": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["question"],
    },
)
LIST = ToolSpec("list_dir", "List a folder.", {"type": "object"})
ASKED = ModelRequest((SystemText("Be brief."), UserText("hello")), tools=(ASK, LIST), masked=frozenset({"list_dir"}))
CALL = '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>'


def scripted(*texts: str) -> ScriptedModel:
    return ScriptedModel(Script(replies=tuple(ScriptedReply(text=text) for text in texts)))


async def test_tools_are_described_in_the_system_text_and_not_sent() -> None:
    model = scripted("Fine.")
    [event async for event in TextProtocol(model).stream(ASKED)]

    sent = model.requests[0]
    assert sent.tools == ()
    assert sent.messages[1:] == ASKED.messages[1:]
    assert isinstance(sent.messages[0], SystemText)
    assert sent.messages[0].text == (
        "Be brief.\n\nYou have these tools:\n"
        "- ask_user: Ask.\n"
        "  question (string): What to ask.\n"
        '  kind ("open" or "closed", optional)\n'
        "  options (list of string, optional)\n"
        "- list_dir: List a folder.\n\n"
        "To call a tool, write exactly this, on lines of its own, and then stop:\n"
        '<tool_call>\n{"name": "<the tool>", "arguments": {<its arguments>}}\n</tool_call>\n'
        "The result comes in the next message. When you know the answer, write it as plain text."
    )


async def test_without_a_system_text_there_is_one_for_the_tools() -> None:
    model = scripted("Fine.")
    [event async for event in TextProtocol(model).stream(ModelRequest((UserText("hello"),), tools=(LIST,)))]

    assert isinstance(model.requests[0].messages[0], SystemText)


async def test_calls_are_read_out_of_the_reply() -> None:
    events = [event async for event in TextProtocol(scripted(f"I look.\n{CALL}")).stream(ASKED)]

    assert [event for event in events if isinstance(event, CallDelta)] == [
        CallDelta(0, name="list_dir", arguments="{}")
    ]
    assert events[-1] == Finished("tool_calls")


async def test_history_is_text_whose_roles_alternate() -> None:
    calls = (SentCall("1", "list_dir", {}), SentCall("2", "ask_user", {"question": "é?"}))
    history = (
        SystemText("Be brief."),
        UserText("hello"),
        AssistantReply("I look.", calls),
        ToolReply("1", "list_dir", "a.py"),
        ToolReply("2", "ask_user", "put"),
        UserText("[note]"),
        AssistantReply("Done."),
        AssistantReply("Really."),
    )
    model = scripted("Fine.")
    [event async for event in TextProtocol(model).stream(ModelRequest(history, tools=ASKED.tools))]

    assert model.requests[0].messages[1:] == (
        UserText("hello"),
        AssistantReply(
            'I look.\n<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>\n'
            '<tool_call>\n{"name": "ask_user", "arguments": {"question": "é?"}}\n</tool_call>'
        ),
        UserText(
            '<tool_result name="list_dir">\na.py\n</tool_result>\n\n'
            '<tool_result name="ask_user">\nput\n</tool_result>\n\n[note]'
        ),
        AssistantReply("Done.\n\nReally."),
    )


async def test_the_last_request_without_tools_keeps_the_prompt_and_drops_calls_from_the_text() -> None:
    model = scripted("Fine.", f"This is left.\n{CALL}")
    protocol = TextProtocol(model)
    [event async for event in protocol.stream(ASKED)]
    events = [
        event async for event in protocol.stream(ModelRequest((*ASKED.messages, AssistantReply("a"), UserText("b"))))
    ]

    assert model.requests[1].messages[:2] == model.requests[0].messages
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).strip() == "This is left."


async def test_another_conversation_without_tools_is_not_told_of_any() -> None:
    model = scripted("Fine.", "Fine.")
    protocol = TextProtocol(model)
    [event async for event in protocol.stream(ASKED)]
    other = ModelRequest((SystemText("Summarise."), UserText("hello")))
    [event async for event in protocol.stream(other)]

    assert model.requests[1] == other
