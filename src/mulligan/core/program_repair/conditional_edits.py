"""Changes that are right in some cases only.

Often a change fixes what fails and breaks what passed: a value that may be zero, an entry of another kind. Then the
place is right, and so is the change, under a condition. Diagnostic edits are hardly ever right as they are, and show
where a condition is missing: a branch that is always or never taken, a statement that is skipped.
"""

from collections.abc import Iterator

from mulligan.core.program_repair.predicates import predicates
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit, Piece
from mulligan.syntax.code_tree import ATOMS, CodeNode, bodies_of, is_text
from mulligan.syntax.expressions import conditions
from mulligan.syntax.scopes import is_target

SIMPLE = frozenset({"expression", "assign", "augment", "step", "delete", "return", "raise", "declare"})
MAX_RETURNS = 4


def diagnostic_edits(site: Site) -> Iterator[Edit]:
    unit = site.unit
    if not site.scope.is_function or is_text(unit):
        return
    truths = ("True", "False") if site.tree.language.indented else ("true", "false")
    for node in conditions(site.nodes) if unit.kind in {"if", "elif"} else ():
        yield from (site.replaced(node, text, "diagnostic.condition") for text in truths)
    if not site.stands_alone:
        return
    if unit.kind in SIMPLE - {"return", "declare"} and not _declares(site):
        yield site.without(unit, "diagnostic.skipped")
    if unit.kind in {*SIMPLE, "if", "each", "loop"}:
        end = site.book.end
        if unit.within("each", "loop"):
            yield site.above(unit, f"continue{end}", "diagnostic.left")
        for text in _returned(site):
            if text.rstrip(";") != site.of(unit).rstrip(";"):
                yield site.above(unit, f"{text.rstrip(';')}{end}", "diagnostic.left")


def _declares(site: Site) -> bool:
    return any(node.kind == "name" and node.around != "augment" and is_target(node) for node in site.nodes)


def _returned(site: Site) -> list[str]:
    """What the function returns elsewhere, as far as it is simple, and usual values."""
    returns = [node for node in site.scope.nodes if node.kind == "return"]
    simple = [site.of(node) for node in returns if len(site.of(node)) < 40 and node.start < site.unit.start]
    literal = [site.of(node) for node in returns if node.named and not node.named[0].children]
    if not returns:
        return ["return"]
    usual = [] if site.tree.language.name == "Go" else [f"return {each}" for each in site.book.values["usual"][:3]]
    return list(dict.fromkeys([*literal, *simple, *usual, *(f"return {each}" for each in site.scope.given[:2])]))[
        :MAX_RETURNS
    ]


def conditional_edits(site: Site, lead: Edit) -> Iterator[Edit]:
    """The change of a unit, under each condition that can be written there."""
    asked = next((node for node in conditions(site.nodes) if _is_within(lead.pieces, node)), None)
    truth = next((node for node in site.nodes if _is_truth(lead, node)), None)
    if truth is None and asked is None and not site.stands_alone:
        return
    for condition in predicates(site):
        if truth:
            whole = truth.around in {"arguments", "assign", "declare", "return", "pair", "named", "default"}
            yield site.replaced(truth, condition if whole else f"({condition})", "guard.condition")
        elif edit := _choosing(site, lead, asked, condition) if asked else _branching(site, lead, condition):
            yield edit


def _is_truth(lead: Edit, node: CodeNode) -> bool:
    """Whether the change turns this literal."""
    return lead.operator == "literal.truth" and node.kind in {"true", "false"} and lead.pieces[0][0] == node.start


def _is_within(pieces: tuple[Piece, ...], node: CodeNode) -> bool:
    return all(node.start <= start and end <= node.end for start, end, _ in pieces)


def _choosing(site: Site, lead: Edit, asked: CodeNode, condition: str) -> Edit:
    """A condition that is changed, in one case only."""
    book, old, new = site.book, site.of(asked), site.edited(asked, lead.pieces)
    if lead.operator == "diagnostic.condition":
        held = old if asked.kind in {*ATOMS, "comparison", "not"} else f"({old})"
        case = f"({condition})" if f" {book.both} " in condition or f" {book.either} " in condition else condition
        made = f"{held} {book.either if new in {'True', 'true'} else book.both} {case}"
    elif site.tree.language.indented:
        made = f"({new}) if {condition} else ({old})"
    elif site.tree.language.name == "Go":
        made = f"({condition} && ({new})) || (!({condition}) && ({old}))"
    else:
        made = f"({condition}) ? ({new}) : ({old})"
    whole = asked.around in {"if", "elif", "loop", "group"}
    return site.replaced(asked, made if whole else f"({made})", "guard.condition")


def _branching(site: Site, lead: Edit, condition: str) -> Edit | None:
    """A statement that is changed, skipped or added, in one case only."""
    unit, book, step = site.unit, site.book, site.tree.step
    inserted = lead.pieces[0] if len(lead.pieces) == 1 and lead.pieces[0][0] == lead.pieces[0][1] else None
    if inserted and inserted[0] in {unit.start, site.end_of(unit)}:
        text = site.without_indent(unit, inserted[2].strip())
        put = site.above if inserted[0] == unit.start else site.below
        return put(unit, _branch(book.branch, condition, text, step), "guard.added")
    several = any(node.kind in {"string", "template"} and "\n" in site.of(node) for node in site.nodes)
    if bodies_of(unit) or unit.kind not in SIMPLE or several:  # a text of several lines must not be indented
        return None
    old = site.text_of(unit)
    if not _is_within(lead.pieces, unit):
        skipped = len(lead.pieces) == 1 and not lead.pieces[0][2].strip()
        text = _branch(book.branch, condition, old, step) if skipped and not _declares(site) else ""
        return site.rewritten(unit, text, "guard.skipped") if text else None
    new = site.edited(unit, lead.pieces)
    if unit.kind == "declare" or (not site.tree.language.indented and _declares(site)):
        return _conditional_value(site, lead, condition)
    if unit.kind == "return":
        return site.above(unit, _branch(book.branch, condition, f"{new.rstrip(';')}{book.end}", step), "guard.changed")
    first = _branch(book.branch, condition, f"{new.rstrip(';')}{book.end}", step)
    return site.rewritten(unit, f"{first}{_branch(book.or_else, '', old, step)}", "guard.changed")


def _conditional_value(site: Site, lead: Edit, condition: str) -> Edit | None:
    """A declaration has to stay where it is: its value is chosen."""
    value = next(
        (node for node in site.nodes if node.field in {"right", "value"} and _is_within(lead.pieces, node)), None
    )
    if value is None:
        return None
    old, new = site.of(value), site.edited(value, lead.pieces)
    if site.tree.language.name != "Go":
        return site.replaced(value, f"({condition}) ? ({new}) : ({old})", "guard.changed")
    names = [site.of(node) for node in site.nodes if node.kind == "name" and is_target(node)]
    changed = f"{', '.join(names)} = {new}"
    return site.below(site.unit, _branch(site.book.branch, condition, changed, site.tree.step), "guard.changed")


def _branch(form: str, condition: str, body: str, step: str) -> str:
    return form.format(condition, body.replace("\n", f"\n{step}"), step)
