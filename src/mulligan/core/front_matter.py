"""The settings at the top of a Markdown file, in the form that other tools write.

They are read leniently, line by line: `argument-hint: [id] [priority]` is not YAML, but many files have it.
"""

import re

_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*+:[ \t]*+(.*+)")
_BLOCK = re.compile(r"[>|][+-]?")


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The settings, and the text below them. Without settings, the whole text."""
    if not text.startswith("---\n"):
        return {}, text.strip()
    head, found, body = text[4:].partition("\n---")
    if not found:
        return {}, text.strip()
    fields: dict[str, str] = {}
    name = ""
    for line in head.split("\n"):
        field = _FIELD.fullmatch(line)
        if field:
            name, value = field[1].lower(), field[2].strip()
            fields[name] = "" if _BLOCK.fullmatch(value) else _unquoted(value)
        elif name and line[:1] in " \t" and line.strip():
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return fields, body.lstrip("-").strip()


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
