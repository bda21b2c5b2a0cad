"""A server's answer as text for a model."""

import json
from collections.abc import Sequence
from typing import Any

from mulligan.core.context_budget import clip_result
from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.tool_calls import JsonObject

MAX_RESULT_CHARS = 200_000
"""Characters, whatever the model's context is: masking secrets and storing take time. The turn cuts further."""


def answer_text(content: Sequence[JsonObject], structured: Any = None) -> str:
    """The texts in order. Other content is only named; structured data is included if there is no text."""
    pieces = [piece for block in content if (piece := _block(block))]
    if not any(block.get("type") == "text" for block in content) and structured is not None:
        pieces.append(json.dumps(structured, ensure_ascii=False))
    text = clip_result("\n".join(pieces), MAX_RESULT_CHARS)
    # A lone surrogate could be neither stored nor sent.
    return text.encode("utf-8", "replace").decode() or "[the server answered nothing]"


def _block(block: JsonObject) -> str:
    match block.get("type"):
        case "text":
            return as_text(block.get("text"))
        case "image" | "audio" as kind:
            size = len(as_text(block.get("data"))) * 3 // 4
            return f"[{kind} of {size:,} bytes, {as_text(block.get('mimeType'))[:80]}: not shown]"
        case "resource_link":
            return f"[resource {as_text(block.get('name'))[:200]}: {as_text(block.get('uri'))[:500]}]"
        case "resource":
            inner = as_object(block.get("resource"))
            return as_text(inner.get("text")) or f"[resource {as_text(inner.get('uri'))[:500]}: not shown]"
        case kind:
            return f"[{as_text(kind)[:40]}: not shown]"
