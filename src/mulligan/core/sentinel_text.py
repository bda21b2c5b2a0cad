"""The sentence a person reads for each sentinel."""

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

NAMED = 10
"""How many paths of a long list are named."""


def sentinel_text(sentinel: Sentinel) -> str:
    match sentinel:
        case MistakeRecovery(escalated=False):
            return "Hit repeated different errors — recovery guidance injected, continuing."
        case MistakeRecovery():
            return "Repeated errors persisted — stopped the turn."
        case DoomLoop():
            return f"{_looped(sentinel)} — stopped the turn."
        case CapHit():
            plural = "step" if sentinel.steps == 1 else "steps"
            return f"Used up its {sentinel.steps} {plural} — stopped the turn."
        case EmptyReply(agent=str()) | EmptyReply(count=1) | AgentFailed() | OutsideWrites():
            return _of_external_agent(sentinel)
        case EmptyReply():
            return "The model gave no answer twice in a row — stopped the turn."
        case ReplyCut():
            return "The reply repeated itself and was cut off — asking once more."
        case ModelFailed():
            return f"The model failed: {sentinel.error}"
        case Aborted():
            return "Stopped by you."
        case Interrupted():
            return "The process that was answering is gone; what it had written is kept."
        case Compacted():
            return f"{'Done' if sentinel.asked_for else 'Context was full'}: {_compacted(sentinel)}."


def _looped(sentinel: DoomLoop) -> str:
    match sentinel.cycle:
        case 0:
            return "The model's replies kept repeating the same text"
        case 1:
            return f"The model made the same {sentinel.tools[0]} call {sentinel.count} times"
        case _:
            return f"The model went in circles ({' → '.join(sentinel.tools)}, {sentinel.count} rounds)"


def _of_external_agent(sentinel: EmptyReply | AgentFailed | OutsideWrites) -> str:
    match sentinel:
        case EmptyReply():
            return f"{sentinel.agent or 'The agent'} said nothing and did nothing — stopped the turn."
        case AgentFailed(agent=agent, error=error):
            # Most reasons begin with the agent's name already.
            return error if error.startswith(agent) else f"{agent} failed: {error}"
        case OutsideWrites():
            return _written_outside(sentinel)


def _written_outside(sentinel: OutsideWrites) -> str:
    more = sentinel.more + len(sentinel.paths[NAMED:])
    named = ", ".join(sentinel.paths[:NAMED]) + (f" and {more} more" if more else "")
    return (
        f"Your checkout changed while {sentinel.agent} worked: {named}. It has a work tree of its own and should not "
        f"write there. If it was not you, look at it: git -C {sentinel.checkout} status"
    )


def _compacted(sentinel: Compacted) -> str:
    freed = max(0, sentinel.tokens_before - sentinel.tokens_after)
    share = f"about {freed:,} of {sentinel.tokens_before:,} tokens freed"
    match sentinel.how:
        case "hidden":
            return f"old tool results are hidden from the model, {share}"
        case "summary":
            return f"the model summed up what came before, {share}"
        case "digest":
            return f"Mulligan summed up what came before because the model could not, {share}"
