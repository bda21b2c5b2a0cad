"""Edits of a file at the nodes of its tree: inserted code gets the indentation of the code next to it."""

from dataclasses import dataclass

from mulligan.syntax.code_tree import CodeNode, CodeTree, block_of
from mulligan.syntax.expressions import binds, sign_of

Piece = tuple[int, int, str]
"""First byte, end byte (exclusive), and the text that replaces them."""

WITHOUT_BRACKETS = frozenset({"if", "elif", "else", "loop", "each"})
"""What holds a statement itself, if no block holds it: without it, the next statement would take its place."""


@dataclass(frozen=True, slots=True)
class Edit:
    operator: str
    """Its name in the table of priors."""
    pieces: tuple[Piece, ...]
    features: tuple[str, ...] = ()
    """What makes it more or less likely than other edits by this operator."""

    def applied(self, text: bytes) -> bytes:
        for start, end, new in sorted(self.pieces, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        return text


class UnitEditor:
    """Creates edits of units. `end` ends a statement, `empty` is an empty block."""

    tree: CodeTree
    end: str
    empty: str

    def of(self, node: CodeNode | None) -> str:
        return self.tree.of(node)

    def replaced(self, node: CodeNode, text: str, operator: str, *features: str) -> Edit:
        return Edit(operator, ((node.start, node.end, text),), features)

    def edited(self, node: CodeNode, pieces: tuple[Piece, ...]) -> str:
        """The node's text with these changes applied."""
        moved = tuple((start - node.start, end - node.start, text) for start, end, text in pieces)
        return Edit("", moved).applied(self.of(node).encode()).decode()

    def fitted(self, node: CodeNode, text: str, operator: str, *features: str) -> Edit:
        """Replace a node, with brackets if the code around it binds more tightly than the new expression."""
        sign = sign_of(node.parent) if node.parent and node.parent.kind == "arithmetic" else None
        product = sign is not None and sign.type in {"+", "-"} and f"{self.of(node)} * " in text
        return self.replaced(node, f"({text})" if binds(node) and not product else text, operator, *features)

    def exchanged(self, one: CodeNode, other: CodeNode, operator: str, *features: str) -> Edit:
        pieces = (one.start, one.end, self.of(other)), (other.start, other.end, self.of(one))
        return Edit(operator, pieces, features)

    def below(self, unit: CodeNode, text: str, operator: str, *features: str) -> Edit:
        """Insert a statement after another one, in the same block."""
        return Edit(operator, (self._inserted(unit, self._at(unit, text), behind=True),), features)

    def above(self, unit: CodeNode, text: str, operator: str, *features: str) -> Edit:
        return Edit(operator, (self._inserted(unit, self._at(unit, text), behind=False),), features)

    def without(self, unit: CodeNode, operator: str, *features: str) -> Edit:
        """Remove a statement with its line. If it is the only one of its block, an empty block replaces it."""
        if unit.parent is not None and unit.parent.kind in WITHOUT_BRACKETS:
            return self.replaced(unit, "{}", operator, *features)
        alone = len(block_of(unit)) == 1
        if alone and self.empty:
            return self.replaced(unit, self.empty, operator, *features)
        return Edit(operator, (self._cut(unit),), features)

    def rewritten(self, unit: CodeNode, text: str, operator: str, *features: str) -> Edit:
        """Put other statements instead of one."""
        return Edit(operator, ((unit.start, self.end_of(unit), self._at(unit, text)),), features)

    def moved(self, unit: CodeNode, target: CodeNode, operator: str, *features: str, behind: bool) -> Edit:
        """Move a statement before or after another unit, with the indentation of that unit."""
        put = self._inserted(target, self._indented_as(target, unit), behind=behind)
        return Edit(operator, (put, *self.without(unit, operator).pieces), features)

    def _indented_as(self, target: CodeNode, unit: CodeNode) -> str:
        """A unit with its end, indented as another one is. Rows that begin in a string stay as they are."""
        start, end = unit.start, self.end_of(unit)
        own, wanted = self.tree.indent(unit).encode(), self.tree.indent(target).encode()
        texts = [node for node in unit.walk() if node.kind in {"string", "template"}]
        rows: list[bytes] = []
        for row in self.tree.text[start:end].split(b"\n"):
            moves = start > unit.start and row.strip() and not any(each.start < start < each.end for each in texts)
            rows.append(wanted + row.removeprefix(own) if moves else row)
            start += len(row) + 1
        return b"\n".join(rows).decode("utf-8", "replace")

    def text_of(self, unit: CodeNode) -> str:
        """A unit with its end, without its indentation."""
        return self.without_indent(unit, self.tree.of_bytes(unit.start, self.end_of(unit)))

    def without_indent(self, unit: CodeNode, text: str) -> str:
        """A text that is indented as this unit is."""
        return text.replace(f"\n{self.tree.indent(unit)}", "\n")

    def _cut(self, unit: CodeNode) -> Piece:
        start, end = unit.start, self.end_of(unit)
        text = self.tree.text
        if self.tree.begins_line(unit):
            start = self.tree.line_start(start)
            stop = text.find(b"\n", end)
            if stop < 0:  # with the last line of the file, remove the newline before it
                return max(0, start - 1), max(end, len(text.rstrip())), ""
            end = stop + 1 if not text[end:stop].strip() else end
        elif text[end : end + 1] == b";":
            end += 1
        return start, end, ""

    def end_of(self, unit: CodeNode) -> int:
        """The end of a unit, including a semicolon that the grammar leaves out of it."""
        end = unit.end
        return end + 1 if self.tree.text[end : end + 1] == b";" and self.end else end

    def _inserted(self, unit: CodeNode, text: str, *, behind: bool) -> Piece:
        """A statement next to a unit, on a line of its own if the unit has one."""
        place = self.end_of(unit) if behind else unit.start
        between = " " if self.end else "; "
        if self.tree.begins_line(unit):
            between = f"\n{self.tree.indent(unit)}"
        return place, place, f"{between}{text}" if behind else f"{text}{between}"

    def _at(self, unit: CodeNode, text: str) -> str:
        return text.replace("\n", f"\n{self.tree.indent(unit)}")
