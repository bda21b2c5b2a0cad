"""All operators: from a place to changes of it."""

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
from mulligan.syntax.code_edits import Edit, Piece

Operator = Callable[[Site], Iterator[Edit]]

OPERATORS: tuple[Operator, ...] = (
    expressions.signs, expressions.turned_operands,
    expressions.grouping, expressions.negations, expressions.choices,
    expressions.symmetric, expressions.neighbours, expressions.turned_parameters,
    offsets.literals, offsets.by_one,
    names.variables, names.members, names.texts, names.words, names.values,
    names.forgotten_operands, names.rests, names.arguments,
    wrapping.forms, wrapping.copies, wrapping.unwrapped, wrapping.waiting, wrapping.marks, wrapping.pitfalls,
    statements.results, statements.assignments, statements.places,
    statements.branches, statements.facts_of_conditions,
    insertions.ways_out, insertions.returns, insertions.guards, insertions.updates,
    special.defaults, special.bound_late, special.inherited, special.errors_caught, special.beginnings,
    donors.statements, donors.calls,
    special.texts_of_patterns, special.loops_of_scripts, special.copies_of_go,
)  # fmt: skip


EVERY_TIME = frozenset({"compare", "boolean", "name", "member"})
"""Families of changes that are also made everywhere in a unit at once: a slip is repeated, or copied."""


def edits_of(site: Site) -> Iterator[Edit]:
    alike: dict[tuple[str, str, str], dict[Piece, None]] = {}
    for operator in OPERATORS:
        for edit in operator(site):
            yield edit
            family, (start, end, new) = edit.operator.partition(".")[0], edit.pieces[0]
            if family in EVERY_TIME:
                alike.setdefault((family, site.tree.of_bytes(start, end), new), {})[start, end, new] = None
    for (family, _, _), pieces in alike.items():
        if len(pieces) > 1:
            yield Edit(f"{family}.every_time", tuple(pieces))
