"""Parts of expressions and statements, by what they are for, whatever the grammar calls them."""

from collections.abc import Iterator, Sequence

from mulligan.syntax.code_tree import CodeNode, CodeTree


def callee(node: CodeNode) -> CodeNode | None:
    """The name of what is called: of a method its own, without the object."""
    called = node.part("called") if node.kind in {"call", "new"} else None
    return called.part("member") if called and called.kind == "attribute" else called


def called_on(node: CodeNode) -> CodeNode | None:
    """What a method is called of."""
    called = node.part("called") if node.kind == "call" else None
    return called.part("object") if called and called.kind == "attribute" else None


def arguments_of(node: CodeNode) -> list[CodeNode]:
    held = node.part("arguments") if node.kind in {"call", "new"} else None
    return items_of(held) if held and held.kind == "arguments" else []


def set_by(node: CodeNode) -> tuple[CodeNode, CodeNode] | None:
    """What an assignment or a declaration sets, and to what."""
    left, right = (node.part("left"), node.part("right")) if node.kind in {"assign", "declare"} else (None, None)
    return (left, right) if left is not None and right is not None else None


def binds(node: CodeNode) -> bool:
    """Whether what stands around a node binds more tightly than a sum does."""
    parent = node.parent
    if parent is None:
        return False
    if parent.kind == "attribute":
        return parent.part("object") is node
    if parent.kind == "subscript":
        return parent.part("object") is node
    if parent.kind == "call":
        return parent.part("called") is node
    return parent.kind in {"arithmetic", "negative", "not", "unary", "await"}


def operands(node: CodeNode) -> tuple[CodeNode, str, CodeNode] | None:
    """The two sides of an operation, and the type of the sign between them."""
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


def conditions(nodes: Sequence[CodeNode]) -> Iterator[CodeNode]:
    """What decides in a unit: of a branch, a loop, a choice, a filter."""
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
    """Whether a field or an item is given a value here."""
    parent = node.parent
    return parent is not None and parent.kind in {"assign", "declare", "augment"} and parent.part("left") is node


def is_key(node: CodeNode) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if parent.kind == "pair":
        return parent.children[0] is node
    return parent.kind == "subscript" or (parent.kind == "arguments" and node.place == 1 and is_lookup(parent.parent))


def is_lookup(node: CodeNode | None) -> bool:
    called = node.part("called") if node else None
    return called is not None and called.kind == "attribute"


def string_value(tree: CodeTree, node: CodeNode) -> str:
    return tree.of(node).lstrip("rbfuRBFU").strip("'\"`")
