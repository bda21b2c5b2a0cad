"""Sorts the pieces of streamed tool calls to the calls they belong to."""

import json
from dataclasses import dataclass, field
from typing import Any

from mulligan.models.loose_json import as_object, as_text
from mulligan.types.model_io import CallDelta


class CallSorter:
    """Numbers the calls of one reply, whatever the server does with `index` and `id`.

    Seen in the wild: no index; no id; index 0 for every call (Ollama); a fresh id on every piece of one call (vLLM);
    the name repeated on every piece; a stray index on pieces that hold arguments alone; arguments as an object.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_place: dict[int, _Call] = {}

    def read(self, piece: Any) -> CallDelta | None:
        """The piece under the number of its call, or None if it says nothing new."""
        sent = as_object(piece)
        function = as_object(sent.get("function"))
        place = index if isinstance(index := sent.get("index"), int) else None
        call_id, name = as_text(sent.get("id")), as_text(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))

        call = self._continued(place, call_id, name, arguments)
        if call is None:
            call = _Call(index=len(self._calls))
            self._calls.append(call)
        elif not (arguments or (name and not call.name) or (call_id and not call.id)):
            return None
        if place is not None:
            self._by_place[place] = call
        return call.add(call_id, name, arguments)

    def _continued(self, place: int | None, call_id: str, name: str, arguments: str) -> "_Call | None":
        """The call that this piece goes on with; None if it begins one."""
        call = self._find(place, call_id)
        if call is None:
            stray = self._calls and not name and not call_id
            return self._calls[-1] if stray else None
        if not name or not call.name or (call_id and call_id == call.id):
            return call
        if name != call.name or (call_id and call.id):
            return None
        return None if arguments and call.is_whole() else call

    def _find(self, place: int | None, call_id: str) -> "_Call | None":
        if place is not None:
            return self._by_place.get(place)
        if call_id:
            return next((call for call in self._calls if call.id == call_id), None)
        return self._calls[-1] if self._calls else None


@dataclass(slots=True)
class _Call:
    index: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])

    def add(self, call_id: str, name: str, arguments: str) -> CallDelta:
        """Take the piece in. Id and name are passed on once, so that nobody has to guess whether to join them."""
        new_id = call_id if not self.id else ""
        new_name = name if not self.name else ""
        self.id, self.name = self.id or call_id, self.name or name
        if arguments:
            self.pieces.append(arguments)
        return CallDelta(self.index, id=new_id or None, name=new_name or None, arguments=arguments)

    def is_whole(self) -> bool:
        try:
            return isinstance(json.loads("".join(self.pieces)), dict)
        except (ValueError, RecursionError):
            return False


def _arguments_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return as_text(value)
    return as_text(json.dumps(value, ensure_ascii=False))
