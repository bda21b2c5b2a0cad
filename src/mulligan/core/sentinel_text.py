"""The sentence a person reads for each sentinel."""

from mulligan.types.sentinels import (
    Aborted,
    CapHit,
    DoomLoop,
    EmptyReply,
    Interrupted,
    MistakeRecovery,
    ModelFailed,
    ReplyCut,
    Sentinel,
)


def sentinel_text(sentinel: Sentinel) -> str:
    match sentinel:
        case MistakeRecovery(escalated=False):
            return "Hit repeated different errors — recovery guidance injected, continuing."
        case MistakeRecovery():
            return "Repeated errors persisted — stopped the turn."
        case DoomLoop(cycle=0):
            return "The model's replies kept repeating the same text — stopped the turn."
        case DoomLoop(cycle=1):
            return f"The model made the same {sentinel.tools[0]} call {sentinel.count} times — stopped the turn."
        case DoomLoop():
            round_ = " → ".join(sentinel.tools)
            return f"The model went in circles ({round_}, {sentinel.count} rounds) — stopped the turn."
        case CapHit():
            plural = "step" if sentinel.steps == 1 else "steps"
            return f"Used up its {sentinel.steps} {plural} — stopped the turn."
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
