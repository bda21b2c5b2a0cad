"""How a turn ends."""

from typing import Literal, get_args

StopReason = Literal[
    "answered",
    "step_cap",
    "doom_loop",
    "mistakes",
    "empty_reply",
    "model_error",
    "aborted",
    "paused",
    "synthesized",
]

STOP_REASONS: tuple[StopReason, ...] = get_args(StopReason)

EXIT_CODES: dict[StopReason, int] = {
    "answered": 0,
    "synthesized": 0,
    "step_cap": 3,
    "doom_loop": 3,
    "mistakes": 3,
    "empty_reply": 3,
    "model_error": 5,
    "paused": 6,
    "aborted": 130,
}
"""What `mulligan` exits with for each. A turn that left changes unapproved or edits refused has another."""

UNFINISHED, WAITING = 4, 6
"""Exit codes: ended unverified or failed; a person has to answer or to approve."""

GUARD_STOPS: frozenset[StopReason] = frozenset({"step_cap", "doom_loop", "mistakes", "empty_reply"})
"""Ends that a guard decided: the model gets one last call without tools to say where things stand."""

CONTINUABLE: frozenset[StopReason] = frozenset({"step_cap", "doom_loop", "mistakes"})
"""Ends that offer Continue."""
