"""What the scripted model says, and what the scripted agent is told to do."""

import json
from typing import Any

Reply = dict[str, Any]

LAST_WORDS: Reply = {"text": "So far I have seen two files."}


def saying(text: str, **more: Any) -> Reply:
    return {"text": text, **more}


def calling(name: str, **arguments: Any) -> Reply:
    return calls((name, arguments))


def calls(*wanted: tuple[str, dict[str, Any] | str], **more: Any) -> Reply:
    """Several in one reply; arguments may be text that is no JSON."""
    return {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in wanted], **more}


def viewing(*paths: str) -> Reply:
    return calls(*(("view_file", {"path": path}) for path in paths))


def editing(path: str, old: str, new: str) -> Reply:
    return calling("edit_file", path=path, old=old, new=new)


def script(*steps: dict[str, str]) -> str:
    """A message to the external agent, which then does this."""
    return f"do it\nscript: {json.dumps(steps)}"


def hanging(text: str) -> Reply:
    """It says so much and is silent then, until it is stopped."""
    return {"text": text, "chunk_size": len(text), "hang": 1}
