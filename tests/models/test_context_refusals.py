"""How servers say that a prompt is too long."""

import pytest

from mulligan.models.scripted.reply import error_body
from mulligan.models.scripted.script import ServerStyle
from mulligan.models.scripted.server_styles import refuse_context
from mulligan.models.wire.server_errors import Endpoint, LengthRefused, error_for_status, error_in_reply, read_refusal
from mulligan.types.errors import PromptTooLong

HERE = Endpoint("http://127.0.0.1:1/v1", "m")


@pytest.mark.parametrize(
    ("server_style", "told"),
    [
        pytest.param(ServerStyle(kind="llama.cpp"), (4096, 5000), id="llama.cpp"),
        pytest.param(ServerStyle(kind="vllm"), (4096, 5000), id="vLLM"),
        pytest.param(ServerStyle(kind="lmstudio"), (4096, 5000), id="LM Studio"),
        pytest.param(ServerStyle(kind="openai"), (4096, 5000), id="OpenAI"),
        pytest.param(ServerStyle(kind="ollama"), (None, None), id="Ollama, which names no number"),
    ],
)
def test_a_servers_refusal_tells_the_room_and_what_it_counted(
    server_style: ServerStyle, told: tuple[int | None, ...]
) -> None:
    reply = refuse_context(server_style, 4096, 5000)
    error = error_for_status(400, {}, error_body(reply), HERE)
    assert isinstance(error, PromptTooLong)
    assert (error.context_length, error.prompt_tokens) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the "
            "messages, 500 in the completion).",
            LengthRefused(4096, 4500),
            id="the reply counts too",
        ),
        pytest.param(
            "prompt is too long: 210000 tokens > 200000 maximum", LengthRefused(200000, 210000), id="Anthropic"
        ),
        pytest.param(
            "Requested tokens (5000) exceed context window of 2048", LengthRefused(2048, None), id="llama-cpp"
        ),
        pytest.param("too many tokens", LengthRefused(None, None), id="no number at all"),
    ],
)
def test_other_words_are_read_too(said: str, told: LengthRefused) -> None:
    assert read_refusal(said, {"message": said}) == told


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("does not support tools", id="tools"),
        pytest.param("max_tokens must be at most 4096", id="the reply's limit"),
        pytest.param("invalid value for temperature: maximum is 2", id="another maximum"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_refusal_of_something_else_is_not_about_the_length(said: str) -> None:
    assert read_refusal(said, {"message": said}) is None


def test_the_code_alone_tells_it() -> None:
    assert read_refusal("Please shorten it.", {"code": "context_length_exceeded"}) == LengthRefused(None, None)


def test_a_refusal_that_comes_in_the_stream_is_one_too() -> None:
    error = error_in_reply({"message": "maximum context length is 1024 tokens"}, HERE)
    assert isinstance(error, PromptTooLong)
    assert error.context_length == 1024
