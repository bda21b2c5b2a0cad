"""A unit of code with everything known about its surroundings."""

from dataclasses import dataclass
from functools import cached_property

from mulligan.core.program_repair.rules.rule_book import RuleBook, rule_book
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.syntax.code_edits import UnitEditor
from mulligan.syntax.code_tree import ATOMS, CodeNode, CodeTree, block_of, is_text, own_nodes
from mulligan.syntax.scopes import Scope


@dataclass(frozen=True, eq=False)
class Site(UnitEditor):
    tree: CodeTree
    unit: CodeNode
    scope: Scope
    facts: RepairFacts

    @cached_property
    def nodes(self) -> list[CodeNode]:
        """Its own nodes, without docstrings: changing those changes no behaviour."""
        return [self.unit] if is_text(self.unit) else list(own_nodes(self.unit))

    @cached_property
    def book(self) -> RuleBook:
        return rule_book(self.tree.language.name)

    @property
    def end(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.book.end

    @property
    def empty(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.book.empty

    @property
    def is_loop(self) -> bool:
        return self.unit.kind in {"loop", "each"}

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its block."""
        return block_of(self.unit)[-1] is self.unit

    @property
    def in_block(self) -> bool:
        """Whether it is a statement of a block, not the only one of an `if` without brackets."""
        return self.unit.parent is not None and self.unit.parent.kind in {"block", "case"}

    @property
    def stands_alone(self) -> bool:
        """Whether it is a line of a block, and not one of several in a line."""
        unit, row = self.unit, block_of(self.unit)
        if not self.in_block or not self.tree.begins_line(unit):
            return False
        after = row[row.index(unit) + 1 :][:1]
        return not after or self.tree.row(after[0].start) > self.tree.row(unit.end - 1)

    def negated(self, node: CodeNode) -> str:
        text = self.of(node)
        return self.book.negation.format(text if node.kind in ATOMS or node.kind == "not" else f"({text})")
