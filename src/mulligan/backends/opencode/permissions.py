"""opencode's permission requests, in the terms of the Agent Client Protocol where it has them."""

from mulligan.runtime.lenient_json import as_object, as_text, as_texts
from mulligan.types.agents import PermissionRequest
from mulligan.types.tool_calls import JsonObject

_KINDS = {
    "bash": "execute",
    "read": "read",
    "list": "read",
    "glob": "search",
    "grep": "search",
    "webfetch": "fetch",
    "websearch": "fetch",
    "codesearch": "fetch",
}
"""Everything that changes files is `edit` in both."""


def as_request(asked: JsonObject) -> PermissionRequest:
    """`metadata` differs from tool to tool; `patterns` are commands, paths or addresses, depending on the tool."""
    name = as_text(asked.get("permission"))
    kind = _KINDS.get(name, name)
    metadata, patterns = as_object(asked.get("metadata")), as_texts(asked.get("patterns"))
    command = as_text(metadata.get("command")) or "; ".join(patterns) if kind == "execute" else None
    # A patch names its files in one text, separated by commas. `patterns` has them one by one, and relative.
    file = as_text(metadata.get("filepath"))
    paths = (file,) if file.startswith("/") else patterns
    about = command or ", ".join(patterns)
    return PermissionRequest(
        title=f"{name}: {about}" if about else name,
        kind=kind,
        command=command or None,
        paths=() if kind in ("execute", "fetch") else paths,
    )
