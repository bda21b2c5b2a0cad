"""What an edit broke, by the project's own checkers: finds them, reads their output, picks what is new."""

from mulligan.core.diagnostics.checkers import Checker, find_checkers
from mulligan.core.diagnostics.findings import Diagnostic, Known, read_diagnostics
from mulligan.core.diagnostics.telling import tell_left, tell_new, tell_slow

__all__ = ["Checker", "Diagnostic", "Known", "find_checkers", "read_diagnostics", "tell_left", "tell_new", "tell_slow"]
