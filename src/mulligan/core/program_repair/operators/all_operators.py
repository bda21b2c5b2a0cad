"""All operators: from a site to the edits there."""

from collections.abc import Callable, Iterator

from mulligan.core.program_repair.operators import (
    donors,
    expressions,
    insertions,
    names,
    offsets,
    special,
    statements,
    wrapping,
)
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit

Operator = Callable[[Site], Iterator[Edit]]

OPERATORS: tuple[Operator, ...] = (
    expressions.signs, expressions.same_signs, expressions.bound_and_sign, expressions.turned_operands,
    expressions.grouping, expressions.negations, expressions.choices, expressions.parts_of_sums,
    expressions.symmetric, expressions.neighbours, expressions.turned_parameters,
    offsets.literals, offsets.bounds, offsets.values_by_one,
    names.variables, names.members, names.fields_together, names.texts, names.words, names.values,
    names.forgotten_operands, names.rests, names.arguments,
    wrapping.forms, wrapping.unwrapped, wrapping.waiting, wrapping.marks, wrapping.pitfalls,
    statements.results, statements.assignments, statements.positions, statements.branches,
    statements.facts_of_conditions,
    insertions.ways_out, insertions.returns, insertions.guards, insertions.updates,
    special.defaults, special.bound_late, special.inherited, special.errors_caught, special.beginnings,
    donors.statements, donors.calls,
    special.texts_of_patterns, special.loops_of_scripts, special.copies_of_go,
)  # fmt: skip


def edits_of(site: Site) -> Iterator[Edit]:
    for operator in OPERATORS:
        yield from operator(site)
