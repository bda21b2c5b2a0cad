"""The server's OpenAPI description, and the page of each of its schemas."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast, get_args

from typing_extensions import TypeIs

from mulligan.runtime.field_meanings import meanings
from mulligan.server.app import make_app
from mulligan.server.frames.envelopes import Batch, Envelope, Hello, Pulse, ServerFrame
from mulligan.server.views.body import Body
from mulligan.types.base import Record
from mulligan.types.frames import Frame
from mulligan.types.run_frames import RunFrame
from mulligan.types.sentinels import Sentinel
from reference.markdown import code, link
from reference.meanings import in_json, summary
from reference.schemas import Refer, Schema, field_table

FRAMES, SENTINELS, API = "frames.md", "sentinels.md", "api.md"


def members(union: Any) -> tuple[str, ...]:
    """The classes of `Annotated[One | Another, …]`, in order, by name."""
    return tuple(each.__name__ for each in get_args(get_args(union)[0]))


TURN_FRAMES, RUN_FRAMES, SERVER_FRAMES = members(Frame), members(RunFrame), members(ServerFrame)
SOCKET = tuple(each.__name__ for each in (Hello, Batch, Pulse, Envelope))
SENTINEL_NAMES = members(Sentinel)
_ALL_FRAMES = frozenset((*TURN_FRAMES, *RUN_FRAMES, *SERVER_FRAMES))
_BY_TYPE = _ALL_FRAMES | set(SOCKET) | set(SENTINEL_NAMES)


@cache
def described() -> Schema:
    return make_app().openapi()


def schemas() -> Mapping[str, Schema]:
    return described()["components"]["schemas"]


def record(name: str) -> type:
    """The class behind a schema."""
    return _records()[name]


def heading_of(name: str) -> str:
    """Frames and sentinels are named after their JSON type, everything else by its name."""
    fields = schemas()[name]["properties"]
    told = fields.get("type", fields.get("kind", {})).get("const") if name in _BY_TYPE else None
    return code(told or name)


def section(name: str, page: str, *, level: int = 3) -> list[str]:
    """A schema under its heading: what it is, and its fields."""
    kind = record(name)
    schema = schemas()[name]
    words = {field: in_json(each) for field, each in meanings(kind).items()}
    # The heading already says it, so it gets no row.
    fields = {field: each for field, each in schema["properties"].items() if not (name in _BY_TYPE and "const" in each)}
    return [
        f"{'#' * level} {heading_of(name)}",
        in_json(summary(kind)),
        field_table({**schema, "properties": fields}, words, referring(page)) or "No further fields.",
    ]


def body_table(name: str, page: str) -> str:
    """The fields of what a client sends."""
    words = {field: in_json(each) for field, each in meanings(record(name)).items()}
    return field_table(schemas()[name], words, referring(page), sent=True)


def referring(page: str) -> Refer:
    """Links from that page. All sentinels and all frames share one word each."""

    def refer(names: tuple[str, ...]) -> str:
        left = list(names)
        words: list[str] = []
        for group, word in ((_ALL_FRAMES, link("a frame", FRAMES)), (SENTINEL_NAMES, link("a sentinel", SENTINELS))):
            if set(group) <= set(names):
                left = [name for name in left if name not in group]
                words.append(word)
        return " or ".join([_to(name, page) for name in left] + words)

    return refer


@cache
def homes() -> Mapping[str, str]:
    """The page of each schema. Parts of frames are described with the frames, since the API only passes them on."""
    in_frames = _reached((*TURN_FRAMES, *RUN_FRAMES, *SERVER_FRAMES, *SOCKET))
    return {
        name: SENTINELS if name in SENTINEL_NAMES else FRAMES if name in in_frames else API
        for name in sorted(schemas())
    }


def _to(name: str, page: str) -> str:
    home = homes()[name]
    return link(heading_of(name), "" if home == page else home, heading_of(name))


def _reached(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(schemas()[name])
    return found


def _references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(target)}:
            yield target.rpartition("/")[2]
        case dict():
            for each in cast("dict[str, Any]", value).values():
                yield from _references(each)
        case list():
            for each in cast("list[Any]", value):
                yield from _references(each)
        case _:
            return


@cache
def _records() -> Mapping[str, type]:
    """All records and bodies that importing the server's modules brought in, and frozen classes of `types`."""

    def below(kind: type) -> Iterator[type]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    shared = [module for name, module in sys.modules.items() if name.startswith("mulligan.types.")]
    frozen = {name: each for module in shared for name, each in vars(module).items() if _is_frozen(each)}
    return {**frozen, **{kind.__name__: kind for base in (Record, Body) for kind in below(base)}}


def _is_frozen(value: object) -> TypeIs[type]:
    return isinstance(value, type) and is_dataclass(value)
