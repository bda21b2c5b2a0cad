"""The model goes in circles, or fails again and again."""

from mulligan.drill.claims import asks_at_most, ends, leaves_files_alone, raises
from mulligan.drill.fault import Fault
from mulligan.drill.scripting import ask, for_ever, view

LOOPS = (
    Fault(
        "same-call",
        "the same call for ever",
        "loops",
        (ask(for_ever(view("one.py"))),),
        (ends("doom_loop", 3), asks_at_most(4), raises("doom_loop", cycle=1, can_continue=True), leaves_files_alone()),
    ),
)
