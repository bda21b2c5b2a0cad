"""Parses almost-JSON: one pass over the tokens, linear in time, deep nesting refused without recursion.

It tolerates only what leaves one meaning, and names each repair. Truncated text is distinguished from broken text: a
truncated call must not run with the arguments that arrived.
"""

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

MAX_DEPTH = 64

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<mark>[{}\[\],:])
      | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+')
      | (?P<open_string>["'])
      | (?P<bare>[^\s{}\[\],:"']++)
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?")
_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_ESCAPE = re.compile(r"""\\(?:["'\\/bfnrt]|u[0-9a-fA-F]{4})?|\"""")
_CONTROL = re.compile(r"[\x00-\x1f]")
_CONSTANTS = {"true": True, "false": False, "null": None}
_PYTHON_CONSTANTS = {"True": True, "False": False, "None": None}
_STRAY_TEXT = "there is text outside of quotes, or a quote inside a string is not escaped"


class Unreadable(Exception):
    """The text is not an object that could be run. Never leaves this package."""

    def __init__(self, reason: str, text: str, at: int = 0, *, cut_off: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text
        self.at = at
        self.cut_off = cut_off
        """It ends before it is complete."""


def read_loosely(text: str) -> tuple[Any, tuple[str, ...]]:
    """The value, and the repairs by name. Raises `Unreadable`."""
    reader = _Reader(text)
    # If no repair was named, strict parsers only mind a space that JSON doesn't know, such as a no-break space.
    return reader.read(), tuple(reader.repairs) or ("white_space",)


def read_integer(text: str) -> int:
    """Raises `ValueError` for more than 64 bits: no argument is that large, and few readers could hold it."""
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise ValueError("the number is too large")
    return int(text)


def read_number(text: str) -> float:
    """Raises `ValueError` for infinity and NaN, which JSON can't represent."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is too large, or none")
    return number


@dataclass(slots=True)
class _Open:
    """An object or a list that is not closed yet."""

    value: dict[str, Any] | list[Any]
    awaits: Literal["first", "next", "colon", "value", "comma"] = "first"
    """`first` and `next` expect a key, or an item of a list; `value` expects a key's value."""
    key: str = ""

    @property
    def awaits_key(self) -> bool:
        return isinstance(self.value, dict) and self.awaits in ("first", "next")


@dataclass(slots=True)
class _Reader:
    text: str
    repairs: dict[str, None] = field(default_factory=dict[str, None])
    """Names in the order of first use."""
    roots: list[Any] = field(default_factory=list[Any])
    open: list[_Open] = field(default_factory=list[_Open])
    """The innermost last."""
    at: int = 0

    def read(self) -> Any:
        for token in _TOKEN.finditer(self.text):
            kind = token.lastgroup or "end"
            self.at = token.start(kind)
            found = token[kind]
            if kind == "end":
                break
            if kind == "mark":
                self._mark(found)
            elif kind == "string":
                self._put(self._string(found))
            elif kind == "bare":
                self._read_unquoted(found, last=token.end() == len(self.text))
            else:
                raise self._cut("they end inside a string")
        self._end()
        return self._single_root()

    def _mark(self, mark: str) -> None:
        match mark:
            case "{":
                if self.open and self.open[-1].awaits_key:
                    self._double_brace()
                else:
                    self._begin({})
            case "[":
                self._begin([])
            case ",":
                self._comma()
            case ":":
                self._colon()
            case _:
                self._close(dict if mark == "}" else list)

    def _begin(self, value: dict[str, Any] | list[Any]) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise self._broken(f"they are nested more than {MAX_DEPTH} deep")
        self._put(value)
        self.open.append(_Open(value))

    def _double_brace(self) -> None:
        """`{{"path": …}}`, as models write that were trained on templates."""
        if len(self.open) > 1 or self.open[0].awaits != "first" or "extra_brace" in self.repairs:
            raise self._broken("an object is used as a key")
        self.repairs["extra_brace"] = None

    def _comma(self) -> None:
        if not self.open or self.open[-1].awaits != "comma":
            raise self._broken("there is a comma too many")
        self.open[-1].awaits = "next"

    def _colon(self) -> None:
        if not self.open and len(self.roots) == 1 and isinstance(self.roots[0], str):
            self.repairs["missing_brace"] = None
            key = self.roots.pop()
            self._begin({})
            self._put(key)
        if not self.open or self.open[-1].awaits != "colon":
            raise self._broken("there is a colon too many")
        self.open[-1].awaits = "value"

    def _close(self, kind: type) -> None:
        if not self.open:
            if not self.roots:
                raise self._broken("a closing brace comes before any opening one")
            self.repairs["extra_brace"] = None
            return
        if not any(isinstance(each.value, kind) for each in self.open):
            raise self._broken("a bracket is closed that was not opened")
        while not isinstance(self.open[-1].value, kind):
            self.repairs["missing_brace"] = None
            self._close_innermost()
        self._close_innermost()

    def _close_innermost(self) -> None:
        innermost = self.open.pop()
        if innermost.awaits == "next":
            self.repairs["trailing_comma"] = None
        elif innermost.awaits not in ("first", "comma"):
            raise self._broken(f"{json.dumps(innermost.key[:40])} has no value")

    def _put(self, value: Any) -> None:
        """Adds a whole value, or a container that now begins."""
        if not self.open:
            if len(self.roots) == 2:
                raise self._broken("there is more than one object")
            self.roots.append(value)
            return
        innermost = self.open[-1]
        if innermost.awaits_key and isinstance(value, str):
            self._key(innermost, value)
        elif isinstance(innermost.value, list) and innermost.awaits in ("first", "next"):
            innermost.value.append(value)
            innermost.awaits = "comma"
        elif isinstance(innermost.value, dict) and innermost.awaits == "value":
            innermost.value[innermost.key] = value
            innermost.awaits = "comma"
        else:
            raise self._broken("a comma or a colon is missing, or a quote inside a string is not escaped")

    def _key(self, innermost: _Open, key: str) -> None:
        if key in innermost.value:
            raise self._broken(f"{json.dumps(key[:40])} is given twice")
        innermost.key = key
        innermost.awaits = "colon"

    def _string(self, quoted: str) -> str:
        if quoted[0] == "'":
            self.repairs["single_quotes"] = None
        body = quoted[1:-1]
        if _CONTROL.search(body):
            self.repairs["control_characters"] = None
        fixed = _ESCAPE.sub(lambda found: self._repair_escape(found[0], quoted[0]), body)
        return json.loads(f'"{fixed}"', strict=False)

    def _repair_escape(self, escape: str, quote: str) -> str:
        if escape == '"':
            return '\\"'
        if escape == "\\'" and quote == "'":
            return "'"
        if len(escape) > 1 and escape != "\\'":
            return escape
        self.repairs["invalid_escape"] = None
        # A model that writes `\d` thinks of the pattern and not of JSON: the backslash is meant.
        return "'" if escape == "\\'" else "\\\\"

    def _read_unquoted(self, word: str, *, last: bool) -> None:
        if self.open and self.open[-1].awaits_key and _KEY.fullmatch(word):
            if last:
                raise self._cut("they end inside a key")
            self.repairs["unquoted_keys"] = None
            self._put(word)
        elif word in _CONSTANTS:
            self._put(_CONSTANTS[word])
        elif word in _PYTHON_CONSTANTS:
            self.repairs["python_literals"] = None
            self._put(_PYTHON_CONSTANTS[word])
        elif number := _NUMBER.fullmatch(word):
            self._put(self._number(number))
        elif last and self.open:
            raise self._cut("they end inside a value")
        else:
            raise self._broken(_STRAY_TEXT if self.open else "there is text around the object")

    def _number(self, number: re.Match[str]) -> int | float:
        try:
            return read_number(number[0]) if number["fraction"] or number["exponent"] else read_integer(number[0])
        except ValueError as error:
            raise self._broken(str(error)) from None

    def _end(self) -> None:
        """Close what is still open, if the text ends after a whole value; a brace just opened does not count.

        A number counts: the reply itself was not truncated (`read_calls` makes sure of that), so the model ended there.
        """
        if not self.open:
            return
        if self.open[-1].awaits != "comma":
            raise self._cut("they end too early")
        self.repairs["missing_brace"] = None
        self.open.clear()

    def _single_root(self) -> Any:
        if not self.roots:
            raise self._broken("there is no object in them")
        # Compared as text, since `1 == True` in Python.
        if len({json.dumps(root) for root in self.roots}) > 1:
            raise self._broken("there is more than one object")
        if len(self.roots) > 1:
            self.repairs["duplicated_arguments"] = None
        return self.roots[0]

    def _broken(self, reason: str) -> Unreadable:
        return Unreadable(reason, self.text, self.at)

    def _cut(self, reason: str) -> Unreadable:
        return Unreadable(reason, self.text, self.at, cut_off=True)
