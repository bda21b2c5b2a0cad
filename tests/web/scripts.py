"""Replies of the scripted model, and instructions for the scripted agent."""

import json
from typing import Any

Reply = dict[str, Any]

LAST_WORDS: Reply = {"text": "So far I have seen two files."}


def saying(text: str, **more: Any) -> Reply:
    return {"text": text, **more}


def calling(name: str, **arguments: Any) -> Reply:
    return calls((name, arguments))


def calls(*wanted: tuple[str, dict[str, Any] | str], **more: Any) -> Reply:
    """Several calls in one reply; arguments may be invalid JSON."""
    return {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in wanted], **more}


def viewing(*paths: str) -> Reply:
    return calls(*(("view_file", {"path": path}) for path in paths))


def editing(path: str, old: str, new: str) -> Reply:
    return calling("edit_file", path=path, old=old, new=new)


def script(*steps: dict[str, str]) -> str:
    """A message to the external agent, which then does this."""
    return f"do it\nscript: {json.dumps(steps)}"


def hanging(text: str) -> Reply:
    """It writes this text, then is silent until it is stopped."""
    return {"text": text, "chunk_size": len(text), "hang": 1}
