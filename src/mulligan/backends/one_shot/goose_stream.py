"""`goose run --output-format stream-json`: a banner, then `message` (text in chunks), `error`, `complete` and notices.

`complete` and exit code 0 also come if the model was unreachable: then goose says so in the model's name.
"""

from collections.abc import Iterator

from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.runtime.lenient_json import as_object, as_objects, as_text
from mulligan.types.agents import AgentDone, AgentEvent, AgentReasoning, AgentText, AgentToolCall, AgentToolUpdate
from mulligan.types.tool_calls import JsonObject

_OWN_WORDS = ("Please resend your message to try again", "Please retry if you think this is a transient")
"""How goose ends what it says in the model's name. Only these lack an `inference`."""


def parse_line(line: JsonObject) -> ParsedLine:
    match line.get("type"):
        case "message":
            return _message(as_object(line.get("message")))
        case "error":
            return ParsedLine(ending=AgentDone("failed", as_text(line.get("error"))))
        case "complete":
            return ParsedLine(ending=AgentDone("finished"))
        case _:
            return ParsedLine()


def _message(message: JsonObject) -> ParsedLine:
    by_model = message.get("role") == "assistant"
    events = tuple(_contents(message, by_model=by_model))
    texts = "".join(event.text for event in events if isinstance(event, AgentText))
    is_own = "inference" not in as_object(message.get("metadata")) and any(words in texts for words in _OWN_WORDS)
    return ParsedLine(events=events, ending=AgentDone("failed", texts) if is_own else None)


def _contents(message: JsonObject, *, by_model: bool) -> Iterator[AgentEvent]:
    for content in as_objects(message.get("content")):
        match content.get("type"):
            case "text" if by_model:
                yield AgentText(as_text(content.get("text")))
            case "thinking" if by_model:
                yield AgentReasoning(as_text(content.get("thinking")))
            case "toolRequest":
                yield _call(content)
            case "toolResponse":
                yield _update(content)
            case _:
                pass


def _call(content: JsonObject) -> AgentToolCall:
    # A malformed call has an error instead of a value.
    value = as_object(as_object(content.get("toolCall")).get("value"))
    name = as_text(value.get("name")) or "a call that can't be read"
    return AgentToolCall(as_text(content.get("id")), name, as_object(value.get("arguments")))


def _update(content: JsonObject) -> AgentToolUpdate:
    result = as_object(content.get("toolResult"))
    value = result.get("value")
    pieces = as_objects(as_object(value).get("content")) or as_objects(value)
    failed = result.get("status") == "error" or bool(as_object(value).get("isError"))
    text = "\n".join(as_text(piece.get("text")) for piece in pieces) or as_text(result.get("error"))
    return AgentToolUpdate(as_text(content.get("id")), "failed" if failed else "completed", text)
