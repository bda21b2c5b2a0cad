"""Sorts the pieces of streamed tool calls to the calls they belong to. The time grows with the pieces alone."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.model_io import CallDelta


class CallSorter:
    """Numbers the calls of one reply, whatever the server does with `index` and `id`.

    Seen in the wild: no index; no id; index 0 for every call (Ollama); a fresh id on every piece of one call (vLLM);
    the name repeated on every piece; a stray index on pieces that hold arguments alone; arguments as an object.
    """

    def __init__(self) -> None:
        self._last: _Call | None = None
        self._count = 0
        self._by_place: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def read(self, piece: Any) -> CallDelta | None:
        """The piece under the number of its call, or None if it says nothing new."""
        sent = as_object(piece)
        function = as_object(sent.get("function"))
        place = index if isinstance(index := sent.get("index"), int) else None
        call_id, name = as_text(sent.get("id")), as_text(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))

        call = self._continued(place, call_id, name, arguments)
        if call is None:
            call = self._last = _Call(index=self._count)
            self._count += 1
        elif not (arguments or (name and not call.name) or (call_id and not call.id)):
            return None
        if place is not None:
            self._by_place[place] = call
        delta = call.add(call_id, name, arguments)
        if delta.id:
            self._by_id.setdefault(delta.id, call)
        return delta

    def _continued(self, place: int | None, call_id: str, name: str, arguments: str) -> "_Call | None":
        """The call that this piece goes on with; None if it begins one."""
        call = self._find(place, call_id)
        if call is None:
            stray = not name and not call_id
            return self._last if stray else None
        if not name or not call.name or (call_id and call_id == call.id):
            return call
        if name != call.name or (call_id and call.id):
            return None
        return None if arguments and call.written.is_whole else call

    def _find(self, place: int | None, call_id: str) -> "_Call | None":
        if place is not None:
            return self._by_place.get(place)
        return self._by_id.get(call_id) if call_id else self._last


_MARK = re.compile(r'[{}\[\]"\\]')


@dataclass(slots=True)
class _Written:
    """How far an object has come that is written piece by piece: each piece is looked at once."""

    depth: int = 0
    begun: bool = False
    in_string: bool = False
    escaped: bool = False
    """The last character was a backslash within a string."""

    @property
    def is_whole(self) -> bool:
        return self.begun and self.depth <= 0 and not self.in_string

    def add(self, piece: str) -> None:
        skip = 0 if self.escaped else -1
        self.escaped = False
        for found in _MARK.finditer(piece):
            mark, at = found[0], found.start()
            if at == skip:
                continue
            if mark == '"':
                self.in_string = not self.in_string
            elif mark == "\\":
                skip = at + 1 if self.in_string else -1
                self.escaped = skip == len(piece)
            elif not self.in_string:
                self.begun = True
                self.depth += 1 if mark in "{[" else -1


@dataclass(slots=True)
class _Call:
    index: int
    id: str = ""
    name: str = ""
    written: _Written = field(default_factory=_Written)

    def add(self, call_id: str, name: str, arguments: str) -> CallDelta:
        """Take the piece in. Id and name are passed on once, so that nobody has to guess whether to join them."""
        new_id = call_id if not self.id else ""
        new_name = name if not self.name else ""
        self.id, self.name = self.id or call_id, self.name or name
        self.written.add(arguments)
        return CallDelta(self.index, id=new_id or None, name=new_name or None, arguments=arguments)


def _arguments_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return as_text(value)
    return as_text(json.dumps(value, ensure_ascii=False))
