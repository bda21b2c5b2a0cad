"""What servers listed last time, stored so that models know the tools without starting any server."""

import json
import os
from pathlib import Path
from typing import Any

from mulligan.runtime.lenient_json import as_objects
from mulligan.types.tool_calls import JsonObject

MAX_LIST_BYTES = 2_000_000
"""Most bytes of one server's list."""
_KEPT = ("name", "title", "description", "inputSchema", "annotations")
MAX_DESCRIPTION_CHARS = 4_000


class ListedTools:
    """One file per server, named by the fingerprint of its declaration: another declaration is another server."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "mcp"

    def read(self, fingerprint: str) -> list[JsonObject] | None:
        """None if nothing is stored, or it can't be read."""
        try:
            return as_objects(json.loads((self._folder / f"{fingerprint}.json").read_bytes()))
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, fingerprint: str, tools: list[JsonObject]) -> None:
        """Best effort: without it, the server is asked next time."""
        text = json.dumps([_brief(each) for each in tools])
        if len(text) > MAX_LIST_BYTES:
            return
        draft = self._folder / f".{fingerprint}-{os.getpid()}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._folder / f"{fingerprint}.json")
        except OSError:
            draft.unlink(missing_ok=True)


def _brief(tool: JsonObject) -> dict[str, Any]:
    kept = {key: tool[key] for key in _KEPT if key in tool}
    if isinstance(kept.get("description"), str):
        kept["description"] = kept["description"][:MAX_DESCRIPTION_CHARS]
    return kept
