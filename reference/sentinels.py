"""The page of sentinels: the fields of each, and its sentence for people."""

from typing import Literal, get_origin, get_type_hints

from mulligan.core.step_budget import MAX_CONTINUES
from mulligan.types.sentinels import SENTINELS, SentinelBase
from mulligan.types.tool_calls import JsonObject
from reference.described import SENTINELS as PAGE
from reference.described import heading_of, section
from reference.markdown import bullets, code, link, table

INTRO = """\
A sentinel is a message for people about what Mulligan did to a turn. It is stored in the chat as a message with role
`system` and status `complete`; its `kind` and its fields are the `metadata`. The model never sees it. While a turn
runs it arrives in a [`sentinel`](frames.md#sentinel) frame, with its sentence. The sentences here contain example names
and numbers."""


def blocks() -> list[str]:
    made = [
        INTRO,
        table(
            ("kind", "label", "Continue is offered"),
            (
                (link(heading, "", heading), kind.style.label, _continues(kind))
                for kind in SENTINELS
                if (heading := heading_of(kind.__name__))
            ),
        ),
        (
            f"A turn may be continued {MAX_CONTINUES} times in a row; after that `can_continue` is `false` until the "
            "user writes a message. Only the newest turn of a chat can be continued."
        ),
    ]
    for kind in SENTINELS:
        made += [*section(kind.__name__, PAGE, level=2), "Sentence for people:", bullets(_sentences(kind))]
    return made


def _continues(kind: type[SentinelBase]) -> str:
    offered = [bool(getattr(kind(**each), "can_continue", None)) for each in kind.examples]
    if any(offered) and not all(offered):
        return "yes, once the turn has stopped"
    return "yes" if any(offered) else "no"


def _sentences(kind: type[SentinelBase]) -> list[str]:
    return [f"“{kind(**example).text}”{_which(kind, example)}" for example in kind.examples]


def _which(kind: type[SentinelBase], example: JsonObject) -> str:
    """The fields that decide between several sentences."""
    switches = [
        code(f"{name}: {str(value).lower()}")
        for name, value in example.items()
        if isinstance(value, bool) or get_origin(get_type_hints(kind)[name]) is Literal
    ]
    return f" ({', '.join(switches)})" if switches else ""
