"""All faults, in the order in which they are shown."""

from collections.abc import Mapping
from dataclasses import replace

from mulligan.drill.fault import Fault, Group
from mulligan.drill.gallery.calls import CALLS
from mulligan.drill.gallery.commands import COMMANDS
from mulligan.drill.gallery.context import CONTEXT
from mulligan.drill.gallery.edits import EDITS
from mulligan.drill.gallery.files import WRECKED_FILES
from mulligan.drill.gallery.fix_runs import FIX_RUNS
from mulligan.drill.gallery.formats import FORMATS
from mulligan.drill.gallery.loops import LOOPS
from mulligan.drill.gallery.proxy import PROXY
from mulligan.drill.gallery.replies import REPLIES
from mulligan.drill.gallery.sandbox import SANDBOX
from mulligan.drill.gallery.server import SERVER

GROUPS: Mapping[Group, tuple[Fault, ...]] = {
    "loops": LOOPS,
    "calls": CALLS,
    "formats": FORMATS,
    "edits": EDITS,
    "replies": REPLIES,
    "server": SERVER,
    "context": CONTEXT,
    "commands": COMMANDS,
    "sandbox": SANDBOX,
    "files": WRECKED_FILES,
    "fix runs": FIX_RUNS,
    "proxy": PROXY,
}
GALLERY = tuple(replace(fault, group=group) for group, faults in GROUPS.items() for fault in faults)
