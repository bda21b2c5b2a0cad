"""The page of sentinels: what each holds, and the sentence that a person reads."""

from collections.abc import Sequence

from mulligan.core.sentinel_text import sentinel_text
from mulligan.core.step_budget import MAX_CONTINUES
from mulligan.types.sentinels import (
    Aborted,
    AgentFailed,
    CapHit,
    Compacted,
    DoomLoop,
    EmptyReply,
    Interrupted,
    MistakeRecovery,
    ModelFailed,
    OutsideWrites,
    ReplyCut,
    Sentinel,
)
from reference.described import SENTINEL_NAMES, SENTINELS, heading_of, section
from reference.markdown import bullets, link, table

_FAILED = ("exec_error", "schema_reject", "exec_error")

EXAMPLES: dict[str, tuple[Sentinel, ...]] = {
    "MistakeRecovery": (
        MistakeRecovery(failure_kinds=_FAILED, count=3, escalated=False),
        MistakeRecovery(failure_kinds=_FAILED, count=3, escalated=True, can_continue=True),
    ),
    "DoomLoop": (
        DoomLoop(tools=("view_file",), cycle=1, count=3),
        DoomLoop(tools=("grep", "view_file"), cycle=2, count=3),
        DoomLoop(tools=(), cycle=0, count=2),
    ),
    "CapHit": (CapHit(steps=20),),
    "EmptyReply": (EmptyReply(count=2), EmptyReply(count=1, agent="goose")),
    "ReplyCut": (ReplyCut(repeated="I will look at it.", count=8),),
    "ModelFailed": (ModelFailed(error="nothing answers at http://127.0.0.1:8080/v1"),),
    "AgentFailed": (AgentFailed(agent="goose", error="it ended with exit code 1"),),
    "OutsideWrites": (OutsideWrites(agent="goose", checkout="~/project", paths=("one.py", "refs/heads/main")),),
    "Aborted": (Aborted(),),
    "Interrupted": (Interrupted(),),
    "Compacted": (
        Compacted(how="hidden", tokens_before=28_000, tokens_after=16_000, through_seq=8),
        Compacted(how="summary", tokens_before=28_000, tokens_after=9_000, through_seq=8),
        Compacted(how="digest", tokens_before=28_000, tokens_after=9_000, through_seq=8),
        Compacted(how="summary", tokens_before=28_000, tokens_after=9_000, through_seq=8, asked_for=True),
    ),
}
"""By class: one for each sentence that a person may read."""

INTRO = """\
A sentinel is a message for people about what Mulligan did to a turn. It is kept in the chat as a message with the role
`system` and the status `complete`; its fields and its `kind` are the `metadata`. It never reaches the model. While a
turn runs it comes in a [`sentinel`](frames.md#sentinel) frame, with its sentence. Sentences are given here with
examples of names and numbers."""


def blocks() -> list[str]:
    made = [
        INTRO,
        table(
            ("kind", "Continue is offered"),
            ((link(heading_of(name), "", heading_of(name)), _continues(EXAMPLES[name])) for name in SENTINEL_NAMES),
        ),
        (
            f"A turn may be continued {MAX_CONTINUES} times in a row; after that `can_continue` is `false` until the "
            "person says something. Only the newest turn of a chat can be continued."
        ),
    ]
    for name in SENTINEL_NAMES:
        heading, words, fields = section(name, SENTINELS, level=2)
        made += [heading, words, fields, "What a person reads:", bullets(_sentences(EXAMPLES[name]))]
    return made


def _continues(examples: Sequence[Sentinel]) -> str:
    offered = [bool(getattr(each, "can_continue", None)) for each in examples]
    if any(offered) and not all(offered):
        return "yes, once the turn has stopped"
    return "yes" if any(offered) else "no"


def _sentences(examples: Sequence[Sentinel]) -> list[str]:
    return [f"“{sentinel_text(each)}”{_which(each)}" for each in examples]


def _which(sentinel: Sentinel) -> str:
    """The field that decides between several sentences."""
    match sentinel:
        case MistakeRecovery(escalated=escalated):
            return f" (`escalated: {str(escalated).lower()}`)"
        case Compacted(asked_for=True):
            return " (`asked_for: true`)"
        case Compacted(how=how):
            return f" (`how: {how}`)"
        case _:
            return ""
