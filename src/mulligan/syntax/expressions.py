"""Parts of expressions and statements by their role, whatever the grammar calls them."""

from collections.abc import Iterable, Iterator, Sequence

from mulligan.syntax.code_tree import CodeNode, CodeTree
from mulligan.syntax.node_kinds import Kind


def callee(node: CodeNode) -> CodeNode | None:
    """The name of what is called; for a method, without the object."""
    called = node.part("called") if node.kind in {"call", "new"} else None
    return called.part("member") if called and called.kind == "attribute" else called


def called_on(node: CodeNode) -> CodeNode | None:
    """The object that a method is called on."""
    called = node.part("called") if node.kind == "call" else None
    return called.part("object") if called and called.kind == "attribute" else None


def arguments_of(node: CodeNode) -> list[CodeNode]:
    held = node.part("arguments") if node.kind in {"call", "new"} else None
    return items_of(held) if held and held.kind == "arguments" else []


def settings(nodes: Iterable[CodeNode]) -> Iterator[tuple[CodeNode, CodeNode]]:
    """The targets of assignments and declarations, and their values."""
    for node in nodes:
        left, right = (node.part("left"), node.part("right")) if node.kind in {"assign", "declare"} else (None, None)
        if left is not None and right is not None:
            yield left, right


def operations(nodes: Iterable[CodeNode], *kinds: Kind) -> Iterator[tuple[CodeNode, CodeNode, str, CodeNode]]:
    """Operations of these kinds: each with its left side, the type of its operator, and its right side."""
    for node in nodes:
        sides = operands(node) if node.kind in kinds else None
        if sides:
            yield node, *sides


def binds(node: CodeNode) -> bool:
    """Whether the code around a node binds more tightly than a sum does."""
    parent = node.parent
    if parent is not None and parent.kind in {"attribute", "subscript"}:
        return parent.part("object") is node
    return is_called(node) or node.around in {"arithmetic", "negative", "not", "unary", "await"}


def is_called(node: CodeNode) -> bool:
    return node.parent is not None and node.parent.kind == "call" and node.parent.part("called") is node


def operands(node: CodeNode) -> tuple[CodeNode, str, CodeNode] | None:
    """The two sides of an operation, and the type of the operator between them."""
    sides = node.named
    if len(sides) != 2 or len(node.children) < 3:
        return None
    signs = [child for child in node.children if child not in sides]
    return (sides[0], signs[0].type, sides[1]) if len(signs) == 1 else None


def sign_of(node: CodeNode) -> CodeNode | None:
    sides = node.named
    return next((child for child in node.children if child not in sides), None)


def items_of(node: CodeNode) -> list[CodeNode]:
    """Elements of a list, a tuple or arguments, without brackets and commas."""
    return [child for child in node.named if child.kind != "comment"]


def indices_of(node: CodeNode) -> list[CodeNode]:
    """The indexes or keys of a subscript."""
    return [part for part in items_of(node) if part is not node.part("object")]


def conditions(nodes: Sequence[CodeNode]) -> Iterator[CodeNode]:
    """The conditions in a unit: of branches, loops, conditional expressions and filters."""
    for node in nodes:
        if node.kind == "filter" and node.named:
            yield node.named[-1]
        elif node.kind in {"if", "elif", "loop", "conditional"}:
            found = node.part("condition")
            if node.kind == "conditional" and found is None and len(node.named) == 3:
                found = node.named[1]
            if found is not None:
                yield found.named[0] if found.kind == "group" and len(found.named) == 1 else found
        elif node.type == "for_clause":
            found = node.part("condition")
            if found is not None:
                yield found


def is_target_value(node: CodeNode) -> bool:
    """Whether this node is the target of an assignment."""
    parent = node.parent
    return parent is not None and parent.kind in {"assign", "declare", "augment"} and parent.part("left") is node


def is_set(node: CodeNode) -> bool:
    """Whether a field, or an item of it, is assigned or incremented, alone or in a tuple."""
    if node.parent is not None and node.around == "subscript" and node.parent.part("object") is node:
        node = node.parent
    if node.parent is not None and node.around == "tuple":
        return node.parent.field == "left"
    return is_target_value(node) or node.around == "step"


def is_key(node: CodeNode) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if parent.kind == "pair":
        return parent.children[0] is node
    return parent.kind == "subscript" or (parent.kind == "arguments" and node.index == 1 and is_lookup(parent.parent))


def is_lookup(node: CodeNode | None) -> bool:
    called = node.part("called") if node else None
    return called is not None and called.kind == "attribute"


def string_value(tree: CodeTree, node: CodeNode) -> str:
    return tree.of(node).lstrip("rbfuRBFU").strip("'\"`")
