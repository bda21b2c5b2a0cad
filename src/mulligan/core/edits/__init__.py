"""Applies a model's edits to a file: finds the place in spite of drift, or refuses the edit with an explanation."""

from mulligan.core.edits.apply import apply_edit, apply_edits, have_landed, locate_match
from mulligan.core.edits.explain import refuse_landed
from mulligan.core.edits.matches import Ambiguous, ExactMatch, FuzzyMatch, NotFound
from mulligan.types.errors import EditRefused

__all__ = [
    "Ambiguous",
    "EditRefused",
    "ExactMatch",
    "FuzzyMatch",
    "NotFound",
    "apply_edit",
    "apply_edits",
    "have_landed",
    "locate_match",
    "refuse_landed",
]
