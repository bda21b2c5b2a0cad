"""Text in brackets: finds its end, and converts arguments in Python's or Gemma's notation to JSON."""

import json
import re

from mulligan.core.text_calls.source import CallSearch

_QUOTES = r'''
    (?P<triple> """[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+""" | \'\'\'[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+\'\'\' )
  | (?P<string> (?!"""|\'\'\') (?: "[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+' ) )
  | (?P<gemma> <\|"\|>[^<]*+(?:<(?!\|"\|>)[^<]*+)*+<\|"\|> | <escape>[^<]*+(?:<(?!escape>)[^<]*+)*+<escape> )
  | (?P<unclosed> (?:["']|<\|"\|>|<escape>) .*+ )
'''
"""An unclosed quote takes everything that follows: checking behind it would read the rest again at every quote."""
_MARK = re.compile(rf"""{_QUOTES} | [{{}}\[\]()]""", re.VERBOSE | re.DOTALL)
_EXTRA = re.compile(r"[}\]]*")
_TOKEN = re.compile(
    rf"""(?P<raw>[rR])?+ (?:[bBfFuU](?=["']))?+ (?:{_QUOTES})
      | (?P<key>[A-Za-z_][\w-]*+) \s*+ [=:] (?!=)
      | (?P<word>\w++)
      | (?P<parenthesis>[()])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_INSIDE = re.compile(
    r"""\\(?:x(?P<two>[0-9a-fA-F]{2})|U00(?P<six>(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|.)|["]""", re.DOTALL
)


def closing_of(source: CallSearch, at: int) -> int | None:
    """Where the brackets opened here are all closed, or None if they never are."""
    text, last = source.text, min(len(source.text), at + source.budget)
    depth = 0
    for mark in _MARK.finditer(text, at + text.startswith("{{", at), last):
        if mark["triple"] or mark["string"] or mark["gemma"]:
            continue
        if mark["unclosed"]:
            break
        depth += 1 if mark[0] in "{[(" else -1
        if depth <= 0:
            source.budget -= mark.end() - at
            extra = _EXTRA.match(text, mark.end()) if mark[0] in "}]" else None
            return extra.end() if extra else mark.end()
    source.budget -= last - at
    return None


def as_json(text: str) -> str:
    """`path="a.py", lines=(1, 2)` as `"path":"a.py", "lines":[1, 2]`; what is not recognised stays as it is."""
    return _TOKEN.sub(_token_as_json, text)


def _token_as_json(token: re.Match[str]) -> str:
    if token["key"]:
        return f"{json.dumps(token['key'])}:"
    if token["word"]:
        return _WORDS.get(token["word"], token["word"])
    if token["parenthesis"]:
        return "[" if token["parenthesis"] == "(" else "]"
    if token["unclosed"]:
        return token[0]
    if token["gemma"]:
        size = 5 if token["gemma"].startswith('<|"|>') else 8
        return json.dumps(token["gemma"][size:-size], ensure_ascii=False)
    body = token["triple"][3:-3] if token["triple"] else token["string"][1:-1]
    if token["raw"]:
        return json.dumps(body, ensure_ascii=False)
    return f'"{_INSIDE.sub(_escaped, body)}"'


def _escaped(found: re.Match[str]) -> str:
    """A Python escape as a JSON one; one that neither knows is left to the JSON reader."""
    escape = found[0]
    if code := found["two"] or found["six"]:
        return json.dumps(chr(int(code, 16)))[1:-1]
    return {'"': '\\"', "\\'": "'", "\\\n": ""}.get(escape, escape)
