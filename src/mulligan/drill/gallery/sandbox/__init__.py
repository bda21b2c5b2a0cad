"""Commands that try to break out of the sandbox: each escape with every sandbox that promises to prevent it."""

from mulligan.drill.gallery.sandbox.escape import faults
from mulligan.drill.gallery.sandbox.kernel import KERNEL
from mulligan.drill.gallery.sandbox.reaching import REACHING
from mulligan.drill.gallery.sandbox.reading import READING
from mulligan.drill.gallery.sandbox.repositories import REPOSITORIES
from mulligan.drill.gallery.sandbox.writing import WRITING

ESCAPES = (*READING, *WRITING, *REPOSITORIES, *REACHING, *KERNEL)
SANDBOX = tuple(faults(ESCAPES))
