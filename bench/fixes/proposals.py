"""The changes that a guided coder tries before it asks a model, in their order."""

from collections.abc import Mapping, Sequence
from itertools import islice
from math import log2

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate, hint_candidates, variant_candidate
from mulligan.core.program_repair.operators.variants import line_variants
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.fixing.guided_questions import FURTHER, LIKELY, MOST_CURES, MOST_PLACES, offered_lines


def proposed(brief: Brief, files: Mapping[str, Sequence[str]]) -> list[Candidate]:
    hints = list(islice(hint_candidates(brief, files), MOST_CURES))
    places = offered_lines(brief, 1)
    by_place = {place: line for line, found in places.items() for place in found}
    lines = list(dict.fromkeys(by_place[place] for place in brief.suspects if place in by_place))
    words = ProjectWords.of(brief)
    ranked = [
        (variant.weight + FURTHER * log2(1 + rank), line, variant)
        for rank, line in enumerate(lines)
        for variant in line_variants(places[line][0].path, files[places[line][0].path], places[line][0].line, words)
        if variant.weight < LIKELY
    ]
    ranked.sort(key=lambda each: each[0])
    return hints + [
        variant_candidate(place, variant, files[place.path])
        for _, line, variant in ranked
        for place in places[line][:MOST_PLACES]
    ]
