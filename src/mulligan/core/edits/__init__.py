"""Applies a model's edits to a file: finds the place in spite of drift, or refuses the edit with an explanation."""

from mulligan.core.edits.apply import apply_edit, apply_edits, locate_match, were_applied
from mulligan.core.edits.explain import applied_earlier_refusal
from mulligan.core.edits.matches import Ambiguous, ExactMatch, FuzzyMatch, NotFound
from mulligan.types.errors import EditRefused

__all__ = [
    "Ambiguous",
    "EditRefused",
    "ExactMatch",
    "FuzzyMatch",
    "NotFound",
    "applied_earlier_refusal",
    "apply_edit",
    "apply_edits",
    "locate_match",
    "were_applied",
]
