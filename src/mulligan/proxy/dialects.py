"""The two APIs that clients use with the proxy."""

from mulligan.proxy import anthropic_wire, openai_wire
from mulligan.proxy.client_response import Answer
from mulligan.proxy.openai_wire import ReplyWriter


class OpenAIDialect:
    name = "openai"

    def writer(self, model: str, *, stream: bool) -> ReplyWriter:
        return openai_wire.ChunkWriter(model) if stream else openai_wire.WholeWriter(model)

    def error(self, status: int, message: str) -> bytes:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return openai_wire.error_body(message, kind=kind)

    def prompt_too_long(self, message: str, tokens: int | None, limit: int | None) -> Answer:
        """Clients know the code; some only know the text."""
        numbers = f"maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. "
        words = f"This model's {numbers if limit and tokens else 'context length is exceeded. '}{message}"
        body = openai_wire.error_body(words, kind="invalid_request_error", code="context_length_exceeded")
        return Answer(400, body)

    def stream_error(self, message: str) -> bytes:
        return openai_wire.stream_error(message)


class AnthropicDialect:
    name = "anthropic"

    def writer(self, model: str, *, stream: bool) -> ReplyWriter:
        return anthropic_wire.EventWriter(model) if stream else anthropic_wire.MessageWriter(model)

    def error(self, status: int, message: str) -> bytes:
        return anthropic_wire.error_body("invalid_request_error" if status < 500 else "api_error", message)

    def prompt_too_long(self, message: str, tokens: int | None, limit: int | None) -> Answer:
        numbers = f": {tokens} tokens > {limit} maximum" if tokens and limit else ""
        return Answer(
            400, anthropic_wire.error_body("invalid_request_error", f"prompt is too long{numbers}. {message}")
        )

    def stream_error(self, message: str) -> bytes:
        return anthropic_wire.event("error", {"type": "error", "error": {"type": "api_error", "message": message}})


Dialect = OpenAIDialect | AnthropicDialect
OPENAI, ANTHROPIC = OpenAIDialect(), AnthropicDialect()
