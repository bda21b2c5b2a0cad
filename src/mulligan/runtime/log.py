"""The log: a file of JSON lines in the home folder, for finding out later what happened.

The standard library is enough for this; structlog would cost a third of the time to the first request.
"""

import json
import time
import traceback
from pathlib import Path
from typing import Any

ROTATE_AT = 5_000_000
"""Bytes; one older file is kept."""


class JsonLog:
    """Appends lines to a file. A log that can't be written never stops the work."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, event: str, **fields: Any) -> None:
        line = json.dumps({"time": _now(), "event": event, **fields}, default=_readable, ensure_ascii=False)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.file.exists() and self.file.stat().st_size > ROTATE_AT:
                self.file.replace(self.file.with_suffix(".old.log"))
            with self.file.open("a", encoding="utf-8") as out:
                out.write(line + "\n")
        except OSError:
            return


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _readable(value: object) -> str:
    if isinstance(value, BaseException):
        return "".join(traceback.format_exception(value))
    return str(value)
