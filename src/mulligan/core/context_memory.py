"""The memory that a longer context needs, from a server's model information."""

from collections.abc import Mapping
from typing import Any

from mulligan.core.byte_sizes import format_size
from mulligan.runtime.lenient_json import as_count, as_text

VALUE_BYTES = 2
"""Bytes of each value in the cache: 16 bits, unless the server is configured otherwise."""


def cache_bytes(model_info: Mapping[str, Any], tokens: int) -> int | None:
    """The size of the cache for this many tokens, from a GGUF file's metadata. None if fields are missing."""

    def field(name: str) -> int:
        return as_count(model_info.get(f"{as_text(model_info.get('general.architecture'))}.{name}"))

    layers, heads = field("block_count"), field("attention.head_count")
    head_size = field("attention.key_length") or (field("embedding_length") // heads if heads else 0)
    key_heads = field("attention.head_count_kv") or heads
    both = key_heads * (head_size + (field("attention.value_length") or head_size))
    return layers * both * tokens * VALUE_BYTES or None


def memory_words(tokens: int, cache: int | None, model: int, free: int | None) -> str | None:
    """A warning for a user who asked for this context. None: it fits, or that is not known.

    `model`: the bytes that still have to be loaded.
    """
    if cache is None or free is None or cache + model <= free:
        return None
    besides = f", and the model {format_size(model)}" if model else ""
    return (
        f"A context of {tokens:,} tokens takes about {format_size(cache)} of memory{besides}, but only "
        f"{format_size(free)} is free here. Unless it goes into graphics memory, Ollama will be slow or fail: set a "
        "smaller num_ctx."
    )
