"""The changes that a guided coder tries before it asks a model, in their order."""

from collections.abc import Mapping, Sequence

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate, slips

MAX_PROPOSALS = 700


def proposed(brief: Brief, files: Mapping[str, Sequence[str]]) -> list[Candidate]:
    return [slip.candidate() for slip in slips(brief, files)[:MAX_PROPOSALS]]
