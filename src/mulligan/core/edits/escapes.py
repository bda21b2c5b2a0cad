r"""Texts with a line break written as `\n`, a quote as `\"`, or a character as `&lt;`."""

import re

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANING = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_BREAK = re.compile(r"\\[nt]")
_BREAKS_WEIGHED = 500
"""Breaks to look up in the file one by one; in a longer text all count as breaks."""
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos|#39|#34);")
_SIGNS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#34": '"'}
_NEIGHBOURS = 12
"""Characters on both sides of a break to compare with the file."""


def unescape(text: str, content: str) -> str | None:
    r"""A long line with `\n` in it, split into the intended lines; None if it is not one."""
    if "\\n" not in text or "\n" in text.strip("\r\n"):
        return None
    if '"' in text and not re.search(r'(?<!\\)"', text):
        return _ESCAPE.sub(lambda found: _MEANING.get(found[1], found[0]), text)
    if text.count("\\n") > _BREAKS_WEIGHED:
        return text.replace("\\n", "\n")
    out: list[str] = []
    line, done = "", 0
    for found in _BREAK.finditer(text):
        before, after = text[done : found.start()], text[found.end() :]
        line += before
        if _is_text(found[0], line, after, content):
            line += found[0]
        elif found[0] == "\\t":
            line += "\t"
        else:
            out.append(line)
            line = ""
        done = found.end()
    return "\n".join([*out, line + text[done:]])


def unescape_quotes(text: str) -> str | None:
    """Every quote has a backslash before it: none of the backslashes was meant."""
    if '\\"' not in text or re.search(r'(?<!\\)"', text):
        return None
    return text.replace('\\"', '"')


def unescape_entities(text: str) -> str | None:
    return _ENTITY.sub(lambda found: _SIGNS[found[1]], text) if _ENTITY.search(text) else None


def _is_text(escape: str, line: str, after: str, content: str) -> bool:
    r"""Whether this `\n` or `\t` is part of a string: the file has it there, or a quote is open."""
    left, right = line[-_NEIGHBOURS:], after[:_NEIGHBOURS].split("\\", 1)[0]
    if (left or right) and f"{left}{escape}{right}" in content:
        return True
    if escape == "\\n" and _breaks_there(left.strip(), right.strip(), content):
        return False
    rest = after.split("\\n", 1)[0]
    return any(line.replace("```", "").count(quote) % 2 and quote in rest for quote in "\"'`")


def _breaks_there(left: str, right: str, content: str) -> bool:
    return (
        bool(left and right) and re.search(rf"{re.escape(left)}[ \t]*\r?\n\s*{re.escape(right)}", content) is not None
    )
