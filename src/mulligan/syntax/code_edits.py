"""Edits of a file by the nodes of its tree: what is put in stands as deep as what is beside it."""

from dataclasses import dataclass

from mulligan.syntax.code_tree import CodeNode, CodeTree, block_of
from mulligan.syntax.expressions import binds, sign_of

Piece = tuple[int, int, str]
"""First byte, the one behind the last, and the text that replaces them."""


@dataclass(frozen=True, slots=True)
class Edit:
    operator: str
    """Its name in the table of priors."""
    pieces: tuple[Piece, ...]
    features: tuple[str, ...] = ()
    """What makes it likelier or less likely than others of its operator."""

    def applied(self, text: bytes) -> bytes:
        for start, end, new in sorted(self.pieces, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        return text


class UnitEditor:
    """Makes edits of units. `end` ends a statement, `empty` is a block with nothing in it."""

    tree: CodeTree
    end: str
    empty: str

    def of(self, node: CodeNode | None) -> str:
        return self.tree.of(node)

    def replaced(self, node: CodeNode, text: str, operator: str, *features: str) -> Edit:
        return Edit(operator, ((node.start, node.end, text),), features)

    def edited(self, node: CodeNode, pieces: tuple[Piece, ...]) -> str:
        """What is written there, with changes made within it."""
        moved = tuple((start - node.start, end - node.start, text) for start, end, text in pieces)
        return Edit("", moved).applied(self.of(node).encode()).decode()

    def fitted(self, node: CodeNode, text: str, operator: str, *features: str) -> Edit:
        """With brackets where what stands around binds more tightly than an expression in place of the node."""
        sign = sign_of(node.parent) if node.parent and node.parent.kind == "arithmetic" else None
        product = sign is not None and sign.type in {"+", "-"} and f"{self.of(node)} * " in text
        return self.replaced(node, f"({text})" if binds(node) and not product else text, operator, *features)

    def exchanged(self, one: CodeNode, other: CodeNode, operator: str, *features: str) -> Edit:
        pieces = (one.start, one.end, self.of(other)), (other.start, other.end, self.of(one))
        return Edit(operator, pieces, features)

    def below(self, unit: CodeNode, text: str, operator: str, *features: str) -> Edit:
        """A statement put behind another one of the same block."""
        end = self._end(unit)
        return Edit(operator, ((end, end, self._joined(unit, text, behind=True)),), features)

    def above(self, unit: CodeNode, text: str, operator: str, *features: str) -> Edit:
        return Edit(operator, ((unit.start, unit.start, self._joined(unit, text, behind=False)),), features)

    def without(self, unit: CodeNode, operator: str, *features: str) -> Edit:
        """A statement taken out, with its line; where it is the only one of its block, with nothing in its place."""
        alone = len(block_of(unit)) == 1
        if alone and self.empty:
            return self.replaced(unit, self.empty, operator, *features)
        return Edit(operator, (self._cut(unit),), features)

    def moved(self, unit: CodeNode, beside: CodeNode, operator: str, *features: str, behind: bool) -> Edit:
        """A statement moved before or behind another unit, as deep as that one stands."""
        text = self.text_of(unit)
        put = self.below(beside, text, operator) if behind else self.above(beside, text, operator)
        return Edit(operator, (*put.pieces, *self.without(unit, operator).pieces), features)

    def text_of(self, unit: CodeNode) -> str:
        """A unit with its end, its further lines as deep as if it stood at the margin."""
        text = self.tree.of_bytes(unit.start, self._end(unit))
        return text.replace(f"\n{self.tree.indent(unit)}", "\n")

    def _cut(self, unit: CodeNode) -> Piece:
        start, end = unit.start, self._end(unit)
        text = self.tree.text
        if self.tree.begins_line(unit):
            start = self.tree.line_start(start)
            stop = text.find(b"\n", end)
            if stop < 0:  # the last line of the file goes with the end of the one before it
                return max(0, start - 1), max(end, len(text.rstrip())), ""
            end = stop + 1 if not text[end:stop].strip() else end
        elif text[end : end + 1] == b";":
            end += 1
        return start, end, ""

    def _end(self, unit: CodeNode) -> int:
        """Behind its semicolon, where the grammar leaves that out of it."""
        end = unit.end
        return end + 1 if self.tree.text[end : end + 1] == b";" and self.end else end

    def _joined(self, unit: CodeNode, text: str, *, behind: bool) -> str:
        if self.tree.begins_line(unit):
            indent = self.tree.indent(unit)
            text = text.replace("\n", f"\n{indent}")
            return f"\n{indent}{text}" if behind else f"{text}\n{indent}"
        between = " " if self.end else "; "
        return f"{between}{text}" if behind else f"{text}{between}"
