"""The possible values of a line's variables, as far as the line itself shows them."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mulligan.core.command_policy.tree import walk
from mulligan.core.command_policy.words import MAX_VALUES, Variables, Word, read_word, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

SETTERS = frozenset(
    {"read", "mapfile", "readarray", "getopts", "eval", "source", ".", "let", "declare", "typeset", "local",
     "readonly"}
)  # fmt: skip
"""Commands that may set a variable by name."""
UNSETTLING = frozenset({"arithmetic_expansion", "c_style_for_statement", "unset_command", "((", "++", "--"})


@dataclass(slots=True)
class Assigned:
    """Everything that a line does to its variables."""

    values: dict[str, list[Word]] = field(default_factory=dict[str, list[Word]])
    unsettled: bool = False
    """Something may set variables in a way that is not analysed."""
    reads: bool = False
    """A variable is set by name, from input that the line does not show."""

    def known(self) -> Variables:
        """Variables whose values are all plain text, with these values."""
        if self.unsettled:
            return {}
        return {
            name: tuple(dict.fromkeys(word.text for word in words))
            for name, words in self.values.items()
            if len(words) <= MAX_VALUES and all(_is_plain(word) for word in words)
        }

    def are_numbers(self, names: set[str]) -> bool:
        """Whether these are numbers, or not set by the line. Arithmetic can run commands in any other text."""
        words = [word for name in names for word in self.values.get(name, ())]
        return all(not word.computed and word.text.isdigit() for word in words)


def read_assigned(root: "Node", source: bytes) -> Assigned:
    assigned = Assigned()
    for entering, node in walk(root):
        if not entering:
            continue
        if node.type == "variable_assignment":
            # Before a command, it sets only that command's environment; the shell's variable keeps its value.
            before = node.parent is not None and node.parent.type == "command"
            values = [] if before else node.children_by_field_name("value")
            _add(assigned, node.child_by_field_name("name"), values, source)
            assigned.unsettled |= any(child.type == "+=" for child in node.children)
        elif node.type == "for_statement":
            _add(assigned, node.child_by_field_name("variable"), node.children_by_field_name("value"), source)
        elif node.type == "command" and _sets(node, source):
            assigned.reads = assigned.unsettled = True
        elif node.type in UNSETTLING:
            assigned.unsettled = True
    return assigned


def _add(assigned: Assigned, name: "Node | None", values: list["Node"], source: bytes) -> None:
    if name is None:
        return
    words = [read_word(value, source) for value in values] or [Word("", computed=True)]
    assigned.values.setdefault(text_of(name, source), []).extend(words)


def _sets(node: "Node", source: bytes) -> bool:
    """Whether any word sets a variable: `builtin read name` does, and so does `printf -v name`."""
    texts = [read_word(child, source).text for child in node.children]
    return not SETTERS.isdisjoint(texts) or ("printf" in texts and any(text.startswith("-v") for text in texts))


def _is_plain(word: Word) -> bool:
    return not word.computed and bool(word.text) and not any(letter.isspace() for letter in word.text)
