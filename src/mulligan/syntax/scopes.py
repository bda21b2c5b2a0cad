"""The names of a function: its parameters, what it sets and uses, and its documentation."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mulligan.syntax.code_tree import FUNCTIONS, CodeNode, CodeTree

PATTERN = "shorthand_property_identifier_pattern"
OWNERS = frozenset({"self", "this", "cls"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")


@dataclass(frozen=True, eq=False)
class Scope:
    """A function (the outermost, if they are nested), or a whole file."""

    tree: CodeTree
    node: CodeNode

    @property
    def is_function(self) -> bool:
        return self.node.kind in FUNCTIONS

    @cached_property
    def nodes(self) -> list[CodeNode]:
        return list(self.node.walk())

    @cached_property
    def given(self) -> tuple[str, ...]:
        """The parameters, without `self` and the like."""
        return tuple(name for name in parameters(self.tree, self.node) if name not in OWNERS)

    @cached_property
    def variables(self) -> list[CodeNode]:
        """Every place where a variable is used or set."""
        return [node for node in self.nodes if is_variable(node)]

    @cached_property
    def names(self) -> Counter[str]:
        return Counter(self.tree.of(node) for node in self.variables)

    @cached_property
    def written(self) -> Counter[str]:
        """Every word of the code, as name, field or key."""
        words = (self.tree.of(node) for node in self.nodes if node.kind in {"name", "field", "text"})
        return Counter(words)

    @cached_property
    def set_names(self) -> tuple[str, ...]:
        """The variables that it sets, in this order."""
        return tuple(dict.fromkeys(self.tree.of(node) for node in self.variables if is_target(node)))

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        """The variables of its loops."""
        found = (node for node in self.nodes if node.kind in {"each", "clause", "loop"})
        return tuple(dict.fromkeys(name for node in found for name in loop_names(self.tree, node)))

    @cached_property
    def unused(self) -> frozenset[str]:
        """Parameters and variables that it does not use."""
        own = {*self.given, *self.set_names} if self.is_function else set[str]()
        return frozenset(name for name in own if self.written[name] == 1)

    @cached_property
    def documentation(self) -> str:
        """Its comments, above and inside of it, and its docstring."""
        texts = [self.tree.of(node) for node in self.nodes if node.kind == "comment"]
        body = self.node.part("body") if self.is_function else None
        first = body.named[0] if body and body.named else None
        if first and first.kind == "expression" and first.named and first.named[0].kind == "string":
            texts.append(self.tree.of(first))
        holder = self.node.parent if self.node.parent and self.node.parent.kind == "wrapper" else self.node
        before = reversed(holder.parent.children[: holder.index]) if holder.parent else ()
        for node in before:
            if node.kind != "comment":
                break
            texts.append(self.tree.of(node))
        return "\n".join(texts)

    @cached_property
    def documented(self) -> frozenset[str]:
        """Words of its documentation that its code does not use."""
        return frozenset(_WORD.findall(self.documentation)) - self.written.keys()

    @cached_property
    def documented_numbers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_NUMBER.findall(self.documentation)))

    @cached_property
    def owner(self) -> str:
        """The name of the object that a method belongs to, such as `self`; empty for a function."""
        receiver = self.node.part("receiver")
        if receiver:
            return next((self.tree.of(node) for node in receiver.walk() if node.kind == "name"), "")
        return next((word for word in ("self", "this") if any(self.tree.of(n) == word for n in self.nodes)), "")


def scope_of(tree: CodeTree, node: CodeNode) -> Scope:
    around = [each for each in (node, *node.above()) if each.kind in FUNCTIONS]
    return _scope(tree, around[-1] if around else tree.root)


@lru_cache(maxsize=256)
def _scope(tree: CodeTree, node: CodeNode) -> Scope:
    return Scope(tree, node)


def parameters(tree: CodeTree, function: CodeNode) -> Iterator[str]:
    given = function.part("parameters")
    if given is None:
        return
    for node in given.walk():
        on_the_way = list(_steps(node, given))
        in_default = any(up.kind == "default" and up.children[0] is not below for below, up in on_the_way)
        typed = any(up.kind == "type" for _, up in on_the_way)
        if (node.kind == "name" and not in_default and not typed) or node.type == PATTERN:
            yield tree.of(node)


def is_variable(node: CodeNode) -> bool:
    parent = node.parent
    if node.type == PATTERN:
        return True
    if node.kind != "name" or parent is None or node.within("type", "import"):
        return False
    if parent.kind in {"named", "pair"} and parent.children[0] is node:
        return False
    if parent.kind in {"function", "class", "lambda"} and node.field == "name":
        return False
    return not (parent.kind in {"call", "new"} and node.field in {"function", "constructor"})


def is_target(node: CodeNode) -> bool:
    """Whether a variable is set here."""
    below = node
    for above in node.above():
        if above.kind in {"assign", "declare", "augment", "each", "clause"} or above.type == "range_clause":
            return below.field in {"left", "name", "pattern"}
        if above.kind not in {"tuple", "list", "group", "pair"} and "pattern" not in above.type:
            return False
        below = above
    return False


def uses(tree: CodeTree, node: CodeNode, name: str) -> bool:
    """Whether a variable is used within a node, and not only set."""
    return any(is_variable(each) and not is_target(each) and tree.of(each) == name for each in node.walk())


def loop_names(tree: CodeTree, loop: CodeNode) -> list[str]:
    """The variables of a loop over items, the last first: of key and value, the value matters more."""
    holder = next((child for child in loop.children if child.type in {"range_clause", "for_clause"}), loop)
    begun = next((child for child in holder.children if child.field == "initializer"), None)
    item = begun or holder.part("item")
    found = (
        [tree.of(node) for node in item.walk() if node.kind == "name" and (not begun or is_target(node))]
        if item
        else []
    )
    return [name for name in reversed(found) if name != "_"]


def _steps(node: CodeNode, top: CodeNode) -> Iterator[tuple[CodeNode, CodeNode]]:
    """Every node on the way up to `top`, with its parent."""
    below = node
    for above in node.above():
        yield below, above
        if above is top:
            return
        below = above
