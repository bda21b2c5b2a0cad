from typing import Any

import pytest

from mulligan.core.context_memory import cache_bytes, memory_words

QWEN = {
    "general.architecture": "qwen2",
    "qwen2.block_count": 28,
    "qwen2.embedding_length": 1536,
    "qwen2.attention.head_count": 12,
    "qwen2.attention.head_count_kv": 2,
}
GB = 1_000_000_000


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        pytest.param(QWEN, 28 * 2 * 2 * 128 * 2 * 1000, id="the head's size from the embedding"),
        pytest.param(
            {**QWEN, "qwen2.attention.key_length": 64, "qwen2.attention.value_length": 32},
            28 * 2 * (64 + 32) * 2 * 1000,
            id="keys and values of other sizes",
        ),
        pytest.param({}, None, id="nothing is told"),
        pytest.param({**QWEN, "qwen2.attention.head_count": "twelve"}, None, id="nonsense is told"),
    ],
)
def test_the_cache_of_a_context_follows_from_the_models_shape(info: dict[str, Any], expected: int | None) -> None:
    assert cache_bytes(info, 1000) == expected


@pytest.mark.parametrize(
    ("cache", "model", "free", "told"),
    [
        pytest.param(2 * GB, 5 * GB, 8 * GB, False, id="it fits"),
        pytest.param(4 * GB, 5 * GB, 8 * GB, True, id="it does not fit"),
        pytest.param(4 * GB, 0, 8 * GB, False, id="the model is loaded already"),
        pytest.param(None, 5 * GB, 1, False, id="nobody knows how much it takes"),
        pytest.param(4 * GB, 5 * GB, None, False, id="nobody knows how much is free"),
    ],
)
def test_a_context_that_does_not_fit_is_told_in_words(
    cache: int | None, model: int, free: int | None, told: bool
) -> None:
    words = memory_words(16_384, cache, model, free)
    assert bool(words) is told
    if words:
        assert "16,384 tokens takes about 4.0 GB" in words
        assert "8.0 GB is free" in words
        assert "smaller num_ctx" in words
