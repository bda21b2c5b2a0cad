"""Sorts lines of an agent's output into messages and noise before the SDK sees them.

The SDK's connection dies of a line that is JSON but not an object, of an error that is not an object and of an id that
is a list; it prints a traceback to our terminal for other lines that it can't parse, and for notifications that it does
not know. None of these is worth losing an agent.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from mulligan.runtime.child_process import ChildProcess
from mulligan.runtime.lenient_json import as_object, parsed_object
from mulligan.types.tool_calls import JsonObject

SESSION_UPDATE = "session/update"
REQUEST_PERMISSION = "session/request_permission"
OPTION_KINDS = {"allow_once", "allow_always", "reject_once", "reject_always"}
SAMPLE = 300
"""Characters of noise to keep, for debugging."""

OnUpdate = Callable[[JsonObject], Awaitable[None]]
"""Gets the parameters of each update in order. While it waits, nothing more is read."""


class ChildTransport:
    """Messages over the pipes of a process, for the SDK's connection.

    Updates bypass it: the SDK handles each in a separate task, so that they may be reordered.
    """

    def __init__(self, child: ChildProcess, on_update: OnUpdate) -> None:
        self.noise = 0
        """Lines that were not messages."""
        self.noise_sample = ""
        """The latest of them."""
        self._child = child
        self._on_update = on_update

    async def receive(self) -> JsonObject | None:
        while (line := await self._child.line()) is not None:
            message = read_message(line)
            if message is None:
                self._add_noise(line)
            elif "id" in message:
                return message
            elif message["method"] == SESSION_UPDATE:
                await self._on_update(message["params"])
        return None

    async def send(self, message: JsonObject) -> None:
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            await self._child.write(data)
        except ConnectionError:
            if "method" in message:
                raise  # a lost response does not matter: nobody waits for it any more

    async def close(self) -> None:
        """The pipes belong to the child, whose owner ends it."""

    def _add_noise(self, line: bytes) -> None:
        text = line[: SAMPLE * 4].decode(errors="replace").strip()[:SAMPLE]
        if text:
            self.noise += 1
            self.noise_sample = text


def read_message(line: bytes) -> JsonObject | None:
    """The request, response or notification in a line, fixed where an SDK would break on it; None if there is none.

    A message without `id` is a notification, with parameters that are an object.
    """
    message = parsed_object(line)
    if not message or not isinstance(message.get("id"), int | str | None):
        return None
    if message.get("method") is None:
        return _answer(message)
    if not isinstance(message["method"], str):
        return None
    if "id" not in message:
        return message if isinstance(message.get("params"), dict) else None
    if message["method"] == REQUEST_PERMISSION:
        _drop_unknown_options(message.get("params"))
    return message


def _answer(message: JsonObject) -> JsonObject | None:
    if message.get("id") is None:
        return None
    error = message.get("error")
    if error is not None and not isinstance(error, dict):
        return {**message, "error": {"code": -32603, "message": str(error)}}
    return message


def _drop_unknown_options(params: Any) -> None:
    """An option of an unknown kind, from a later protocol, must not make the whole question invalid."""
    named = as_object(params)
    if isinstance(named.get("options"), list):
        named["options"] = [option for option in named["options"] if as_object(option).get("kind") in OPTION_KINDS]
