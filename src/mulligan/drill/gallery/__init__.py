"""All faults, in the order in which they are shown."""

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

GALLERY = (
    *LOOPS,
    *CALLS,
    *FORMATS,
    *EDITS,
    *REPLIES,
    *SERVER,
    *CONTEXT,
    *COMMANDS,
    *SANDBOX,
    *WRECKED_FILES,
    *FIX_RUNS,
    *PROXY,
)
