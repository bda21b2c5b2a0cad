"""All faults, in the order in which they are shown."""

from mulligan.drill.gallery.loops import LOOPS

GALLERY = (*LOOPS,)
