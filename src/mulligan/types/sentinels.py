"""Sentinels: messages to the user about what Mulligan did. The model never sees them."""

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal, get_args

from mulligan.types.base import Record
from mulligan.types.field_rules import Tagged
from mulligan.types.frozen import frozen
from mulligan.types.tool_calls import JsonObject

NAMED = 10
"""How many paths of a long list are shown."""


@frozen
class SentinelStyle:
    """How the page presents a sentinel, above its sentence."""

    label: str
    """The headline."""
    tone: Literal["stop", "fault", "detour", "note"]
    """`stop`: a guard ended the turn. `fault`: something broke. `detour`: the turn continues differently. `note`: the
    rest."""
    icon: Literal["chat", "close", "compress", "flag", "loop", "pause", "retry", "stop", "warning"]
    label_if_continued: str = ""
    """The headline if the turn continued; empty if that can't happen."""


class SentinelBase(Record):
    """The base of all sentinels."""

    style: ClassVar[SentinelStyle]
    examples: ClassVar[tuple[JsonObject, ...]] = ({},)
    """For the documentation: an example of the fields for each sentence."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The sentence that the user reads."""


class MistakeRecovery(SentinelBase):
    """Several tool calls in a row failed. The first time the model gets a note, the second time the turn ends."""

    style = SentinelStyle(
        label="It kept failing, so Mulligan stopped.",
        label_if_continued="It kept failing. Mulligan told it to try something else.",
        tone="stop",
        icon="close",
    )
    examples = (
        {"failure_kinds": ("exec_error", "schema_reject", "exec_error"), "count": 3, "escalated": False},
        {"failure_kinds": ("exec_error",) * 3, "count": 3, "escalated": True, "can_continue": True},
    )
    kind: Literal["mistake_recovery"] = "mistake_recovery"
    failure_kinds: tuple[str, ...]
    count: int
    escalated: bool
    can_continue: bool | None = None

    @property
    def text(self) -> str:
        if self.escalated:
            return "Repeated errors persisted — stopped the turn."
        return "Hit repeated different errors — recovery guidance injected, continuing."


class DoomLoop(SentinelBase):
    """The model went in circles."""

    style = SentinelStyle(label="It went in circles, so Mulligan stopped it.", tone="stop", icon="loop")
    examples = (
        {"tools": ("view_file",), "cycle": 1, "count": 3},
        {"tools": ("grep", "view_file"), "cycle": 2, "count": 3},
        {"tools": (), "cycle": 0, "count": 2},
        {"tools": (), "cycle": 0, "count": 30, "stale": True},
    )
    kind: Literal["doom_loop"] = "doom_loop"
    tools: tuple[str, ...]
    """Tool names of the calls in one round. Empty if a reply repeated its own text."""
    cycle: int
    """Number of calls in a round; 0 for repeated text."""
    count: int
    """How often the round was seen, or the number of steps without anything new."""
    stale: bool = False
    """Whether there was no round, but too many steps in a row without a new project state or a new result."""
    can_continue: bool = True

    @property
    def text(self) -> str:
        match self.cycle:
            case 0 if self.stale:
                looped = f"The last {self.count} steps brought nothing new"
            case 0:
                looped = "The model's replies kept repeating the same text"
            case 1:
                looped = f"The model made the same {self.tools[0]} call {self.count} times"
            case _:
                looped = f"The model went in circles ({' → '.join(self.tools)}, {self.count} rounds)"
        return f"{looped} — stopped the turn."


class CapHit(SentinelBase):
    """The turn used up its steps."""

    style = SentinelStyle(label="It used up its steps.", tone="stop", icon="flag")
    examples = ({"steps": 20},)
    kind: Literal["cap_hit"] = "cap_hit"
    steps: int
    can_continue: bool = True

    @property
    def text(self) -> str:
        return f"Used up its {self.steps} step{'' if self.steps == 1 else 's'} — stopped the turn."


class EmptyReply(SentinelBase):
    """The model gave no reply twice in a row, or an external agent said and did nothing once."""

    style = SentinelStyle(label="No answer came.", tone="stop", icon="chat")
    examples = ({"count": 2}, {"count": 1, "agent": "goose"})
    kind: Literal["empty_reply"] = "empty_reply"
    count: int
    agent: str | None = None
    """The external agent, if there was one."""

    @property
    def text(self) -> str:
        if self.agent is None and self.count > 1:
            return "The model gave no answer twice in a row — stopped the turn."
        return f"{self.agent or 'The agent'} said nothing and did nothing — stopped the turn."


class OnlyReads(SentinelBase):
    """The model wanted to change something, but its agent only reads."""

    style = SentinelStyle(label="It wanted to change files, and this agent only reads.", tone="note", icon="pause")
    examples = ({"tool": "edit_file", "agent": "default"},)
    kind: Literal["only_reads"] = "only_reads"
    tool: str
    agent: str

    @property
    def text(self) -> str:
        return (
            f"The model wanted to use {self.tool}, but the agent {self.agent} only reads. To let it change files, ask "
            "with `mulligan code`, or switch to Edit on the page."
        )


class ReplyCut(SentinelBase):
    """A reply was stopped while it streamed because it repeated itself; the model was asked once more."""

    style = SentinelStyle(label="It repeated itself, so Mulligan asked again.", tone="detour", icon="retry")
    examples = ({"repeated": "I will look at it.", "count": 8},)
    kind: Literal["reply_cut"] = "reply_cut"
    repeated: str
    count: int

    @property
    def text(self) -> str:
        return "The reply repeated itself and was cut off — asking once more."


class OnlyAnnounced(SentinelBase):
    """The model said what it would do next but did not do it, even when asked to. Its text is the answer."""

    style = SentinelStyle(label="It said what it would do, and did not do it.", tone="stop", icon="flag")
    kind: Literal["only_announced"] = "only_announced"

    @property
    def text(self) -> str:
        return "The model said what it would do next, but did not do it, even when asked to."


class ModelFailed(SentinelBase):
    """The model server gave no complete reply."""

    style = SentinelStyle(label="The model could not answer.", tone="fault", icon="warning")
    examples = ({"error": "nothing answers at http://127.0.0.1:8080/v1"},)
    kind: Literal["model_failed"] = "model_failed"
    error: str

    @property
    def text(self) -> str:
        return f"The model failed: {self.error}"


class AgentFailed(SentinelBase):
    """An external agent did not finish by itself."""

    style = SentinelStyle(label="The agent could not finish.", tone="fault", icon="warning")
    examples = ({"agent": "goose", "error": "it ended with exit code 1"},)
    kind: Literal["agent_failed"] = "agent_failed"
    agent: str
    error: str

    @property
    def text(self) -> str:
        # Most reasons begin with the agent's name already.
        return self.error if self.error.startswith(self.agent) else f"{self.agent} failed: {self.error}"


class OutsideWrites(SentinelBase):
    """The user's checkout changed while an external agent worked in its work tree. It is unknown who changed it."""

    style = SentinelStyle(label="Your own files changed meanwhile.", tone="fault", icon="warning")
    examples = ({"agent": "goose", "checkout": "~/project", "paths": ("one.py", "refs/heads/main")},)
    kind: Literal["outside_writes"] = "outside_writes"
    agent: str
    checkout: str
    paths: tuple[str, ...]
    """Files, relative to the top of the checkout, and refs."""
    more: int = 0
    """How many there are beyond `paths`."""

    @property
    def text(self) -> str:
        more = self.more + len(self.paths[NAMED:])
        named = ", ".join(self.paths[:NAMED]) + (f" and {more} more" if more else "")
        return (
            f"Your checkout changed while {self.agent} worked: {named}. It has a work tree of its own and should not "
            f"write there. If it was not you, look at it: git -C {self.checkout} status"
        )


class Aborted(SentinelBase):
    """The user stopped the turn."""

    style = SentinelStyle(label="You stopped it.", tone="note", icon="stop")
    kind: Literal["aborted"] = "aborted"

    @property
    def text(self) -> str:
        return "Stopped by you."


class Interrupted(SentinelBase):
    """The process that was answering has died; its text so far is kept."""

    style = SentinelStyle(label="The server stopped during this answer.", tone="fault", icon="pause")
    kind: Literal["interrupted"] = "interrupted"

    @property
    def text(self) -> str:
        return "The process that was answering is gone; what it had written is kept."


class Compacted(SentinelBase):
    """Space was freed in the model's context. A summary, if one was written, is the message's text.

    Every later request contains it instead of what it covers, so everything about how it is shown is stored here.
    """

    style = SentinelStyle(label="Room was made in the context.", tone="note", icon="compress")
    examples = (
        {"how": "hidden", "tokens_before": 28_000, "tokens_after": 16_000, "through_seq": 8},
        {"how": "summary", "tokens_before": 28_000, "tokens_after": 9_000, "through_seq": 8},
        {"how": "digest", "tokens_before": 28_000, "tokens_after": 9_000, "through_seq": 8},
        {"how": "summary", "tokens_before": 28_000, "tokens_after": 9_000, "through_seq": 8, "asked_for": True},
    )
    kind: Literal["compacted"] = "compacted"
    how: Literal["hidden", "summary", "digest"]
    """`hidden`: old tool results are omitted. `summary`: the model summarized the messages before. `digest`: Mulligan
    did, because the model's summary was unusable."""
    tokens_before: int
    tokens_after: int
    through_seq: int
    """The last message that is covered."""
    through_step: int | None = None
    """The last step of that message that is covered; the user's message before it is still shown. None: all steps."""
    ledger_chars: int = 0
    """Length of the longest list of files that a request shows in full."""
    step_chars: int | None = None
    """Longer texts in the steps so far are cut to this length, because nothing else could be omitted."""
    prompt_chars: int | None = None
    """The same limit for the user's messages."""
    asked_for: bool = False
    """Whether the user asked for it, even if the context was not full."""
    images: int = 0
    """How many images, the newest covered ones, are shown with the summary."""
    images_left_out: int = 0

    @property
    def text(self) -> str:
        match self.how:
            case "hidden":
                done = "old tool results are hidden from the model"
            case "summary":
                done = "the model summed up what came before"
            case "digest":
                done = "Mulligan summed up what came before because the model could not"
        freed = f"about {max(0, self.tokens_before - self.tokens_after):,} of {self.tokens_before:,} tokens freed"
        left_out = f" {self.images_left_out} earlier images are no longer shown to it." if self.images_left_out else ""
        return f"{'Done' if self.asked_for else 'Context was full'}: {done}, {freed}.{left_out}"


Sentinel = Annotated[
    MistakeRecovery
    | DoomLoop
    | CapHit
    | EmptyReply
    | ReplyCut
    | OnlyReads
    | OnlyAnnounced
    | ModelFailed
    | AgentFailed
    | OutsideWrites
    | Aborted
    | Interrupted
    | Compacted,
    Tagged("kind"),
]

SENTINELS: tuple[type[SentinelBase], ...] = get_args(get_args(Sentinel)[0])
"""All sentinels, in the order of the union."""
SENTINEL_STYLES: dict[str, SentinelStyle] = {each.field_defaults["kind"]: each.style for each in SENTINELS}
"""Looks by kind."""
