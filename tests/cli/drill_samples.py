"""A small gallery and what came of it, for whoever shows a drill."""

from mulligan.drill.fault import DrillEnd, Fault, Outcome

FAULTS = (
    Fault("same-call", "the same call for ever", (), (), group="loops"),
    Fault("cycle", "two calls in turn", (), (), group="loops"),
    Fault("drifted", "an edit that misses by a space", (), (), group="edits"),
)
SAME_CALL, CYCLE, DRIFTED = (
    Outcome(
        name=fault.name,
        title=fault.title,
        group=fault.group,
        did=did,
        requests=requests,
        holds=True,
        problems=(),
        seconds=0.5,
    )
    for fault, did, requests in zip(
        FAULTS, ("doom loop, exit 3", "doom loop, exit 3", "applied 1 change; answered, exit 0"), (4, 7, 1), strict=True
    )
)
BROKEN = DRIFTED.model_copy(
    update={"holds": False, "problems": ("one.py holds b'\x1b[2J'", "exit code 1, not 0"), "did": "answered\x1b[2J"}
)
END = DrillEnd(version="0.1.0", faults=3, held=3, requests=12, seconds=31.2)
BROKEN_END = END.model_copy(update={"held": 2})
