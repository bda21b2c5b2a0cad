"""The real embedded model, through the product's own catalog. `make test-model` runs this."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mulligan.models.embedded.catalog import ModelEntry, find_entry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.model import EmbeddedModel
from mulligan.models.embedded.servers import EmbeddedServers
from mulligan.types.errors import ModelError
from mulligan.types.model_io import ModelRequest, SystemText, TextDelta, Usage, UsageReport, UserText

pytestmark = pytest.mark.real_model


def small() -> ModelEntry:
    return find_entry("qwen2.5-coder-0.5b")


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncGenerator[EmbeddedServers]:
    started = EmbeddedServers(tmp_path)
    yield started
    await started.stop_all()


@pytest.fixture
async def model(servers: EmbeddedServers) -> AsyncGenerator[EmbeddedModel]:
    home = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan")
    file = await ModelFiles(home).pull(small(), progress=lambda _event: None)
    made = EmbeddedModel(servers, small().name, file, context=small().context)
    yield made
    await made.aclose()


async def ask(model: EmbeddedModel, question: str) -> tuple[str, Usage]:
    request = ModelRequest((SystemText("Answer in one word. " * 20), UserText(question)), max_tokens=8, temperature=0)
    events = [event async for event in model.stream(request)]
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return text, next(event.usage for event in events if isinstance(event, UsageReport))


async def test_it_answers_and_remembers_the_beginning_of_the_prompt(model: EmbeddedModel) -> None:
    text, _ = await ask(model, "What is the capital of France?")
    assert "Paris" in text
    _, usage = await ask(model, "What is the capital of Italy?")
    assert usage.cached_tokens > usage.prompt_tokens / 2


async def test_it_has_the_context_of_the_catalog(model: EmbeddedModel) -> None:
    assert (await model.start()).context == small().context


async def test_a_damaged_file_is_named_with_what_is_wrong(servers: EmbeddedServers, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"no model at all")
    with pytest.raises(ModelError, match="magic"):
        await servers.ensure("damaged", damaged, context=2048)
