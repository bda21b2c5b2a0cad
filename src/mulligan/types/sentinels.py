"""Sentinels: messages for people about what Mulligan did. They never reach the model."""

from typing import Annotated, Literal

from pydantic import Field

from mulligan.types.base import Record


class MistakeRecovery(Record):
    """Several tool calls in a row failed. First a note to the model, the second time the end of the turn."""

    kind: Literal["mistake_recovery"] = "mistake_recovery"
    failure_kinds: tuple[str, ...]
    count: int
    escalated: bool
    can_continue: bool | None = None


class DoomLoop(Record):
    """The model went in circles."""

    kind: Literal["doom_loop"] = "doom_loop"
    tools: tuple[str, ...]
    """The calls of one round, by tool name. Empty if a reply repeated its own text."""
    cycle: int
    """How many calls make a round; 0 for repeated text."""
    count: int
    """How often the round was seen."""
    can_continue: bool = True


class CapHit(Record):
    """The turn used up its steps."""

    kind: Literal["cap_hit"] = "cap_hit"
    steps: int
    can_continue: bool = True


class EmptyReply(Record):
    """The model said nothing, twice in a row; or an external agent said and did nothing, once."""

    kind: Literal["empty_reply"] = "empty_reply"
    count: int
    agent: str | None = None
    """The external agent, if it was one."""


class ReplyCut(Record):
    """A reply was stopped while it streamed because it repeated itself; the model was asked once more."""

    kind: Literal["reply_cut"] = "reply_cut"
    repeated: str
    count: int


class ModelFailed(Record):
    """The model server gave no whole reply."""

    kind: Literal["model_failed"] = "model_failed"
    error: str


class AgentFailed(Record):
    """An external agent did not come to an end of its own."""

    kind: Literal["agent_failed"] = "agent_failed"
    agent: str
    error: str


class OutsideWrites(Record):
    """The person's checkout changed while an external agent worked in its work tree. Nobody can tell who did it."""

    kind: Literal["outside_writes"] = "outside_writes"
    agent: str
    checkout: str
    paths: tuple[str, ...]
    """Files, from the top of the checkout, and refs."""
    more: int = 0
    """How many there are beyond those named."""


class Aborted(Record):
    """A person stopped the turn."""

    kind: Literal["aborted"] = "aborted"


class Interrupted(Record):
    """The process that was answering is gone; what it had written is kept."""

    kind: Literal["interrupted"] = "interrupted"


class Compacted(Record):
    """Room was made in the model's context. A summary, if one was written, is the message's text.

    It stands in every later request in place of what it covers, so all that decides how it is shown is kept here.
    """

    kind: Literal["compacted"] = "compacted"
    how: Literal["hidden", "summary", "digest"]
    """`hidden`: old tool results are left out. `summary`: the model summed up what came before. `digest`: Mulligan did,
    because the model's summary was no use."""
    tokens_before: int
    tokens_after: int
    through_seq: int
    """The last message that is covered."""
    through_step: int | None = None
    """The last step of it that is covered; then the message that it answers is still shown. None: the whole message."""
    ledger_chars: int = 0
    """The longest list of files that a request shows in full."""
    step_chars: int | None = None
    """Longer texts in the steps taken so far are shown cut to this, because nothing else was left to leave out."""
    prompt_chars: int | None = None
    """The same for the person's messages."""
    asked_for: bool = False
    """By a person, whether or not the context was full."""


Sentinel = Annotated[
    MistakeRecovery
    | DoomLoop
    | CapHit
    | EmptyReply
    | ReplyCut
    | ModelFailed
    | AgentFailed
    | OutsideWrites
    | Aborted
    | Interrupted
    | Compacted,
    Field(discriminator="kind"),
]
