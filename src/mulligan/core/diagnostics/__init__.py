"""What an edit broke, by the project's own checkers: finds them, reads their output, picks what is new."""

from mulligan.core.diagnostics.checkers import Checker, find_checkers
from mulligan.core.diagnostics.findings import Diagnostic, DiagnosticsBaseline, read_diagnostics
from mulligan.core.diagnostics.messages import new_problem_lines, remaining_problem_lines, slow_checker_lines

__all__ = [
    "Checker",
    "Diagnostic",
    "DiagnosticsBaseline",
    "find_checkers",
    "new_problem_lines",
    "read_diagnostics",
    "remaining_problem_lines",
    "slow_checker_lines",
]
