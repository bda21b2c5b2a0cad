"""Code that runs but seldom does what was meant: statements without effect, paths without a result."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.findings.finding import (
    ChangedCopy,
    ChangedInLoop,
    Finding,
    Known,
    NoReturn,
    NoReturnOfCallback,
    Odd,
    ShadowedVariable,
    SharedDefault,
)
from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.syntax.code_tree import CodeNode, CodeTree, bare, bodies_of, is_unit
from mulligan.syntax.expressions import is_target_value, items_of, operands
from mulligan.syntax.scopes import Scope, is_target

LONGEST = 60
CALLBACKS = frozenset({"map", "filter", "find", "findIndex", "some", "every", "reduce", "sort"})
VALUES = frozenset({"comparison", "arithmetic", "boolean", "not", "negative", "subscript", "attribute", "name"})
_HOLE = re.compile(r"\{(\w+)[^{}]*\}")
_SCRIPT_HOLE = re.compile(r"\$\{\w")


class _Flow:
    def __init__(self, tree: CodeTree, known: Known) -> None:
        self.tree, self.known = tree, known
        self.book = rule_book(tree.language.name)
        self.python, self.go = tree.language.indented, tree.language.name == "Go"

    def line(self, node: CodeNode) -> int:
        return self.tree.row(node.start) + 1

    def odd(self, node: CodeNode, what: str, weight: float = 2.5, code: str = "") -> Odd:
        text = code or " ".join(self.tree.of(node).split())
        return Odd(self.line(node), what, text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…", weight)  # pyright: ignore[reportArgumentType]

    def noticed(self) -> Iterator[Finding]:
        for node in self.tree.root.walk():
            match node.kind:
                case "expression":
                    yield from self._effect(node)
                case "each" | "loop":
                    yield from self._loop(node)
                case "boolean" | "comparison":
                    yield from self._always(node)
                case "call":
                    yield from self._call(node)
                case "assign":
                    yield from self._assign(node)
                case "default" if (value := node.part("value")) and self.tree.of(value) in self.book.values["mutable"]:
                    yield SharedDefault(self.line(node), self.tree.of(node.children[0]), self.tree.of(value))
                case "string":
                    yield from self._template(node)
                case "function":
                    yield from self._results(node)
                    yield from self._go(node) if self.go else ()
                case _:
                    pass

    def _effect(self, unit: CodeNode) -> Iterator[Finding]:
        value = unit.named[0] if len(unit.named) == 1 else None
        called = value.part("called") if value is not None and value.kind == "call" else None
        name = self.tree.of(called.part("member") if called and called.kind == "attribute" else called)
        vain = name in self.book.values["pure"] and (self.python or bool(called and called.kind == "attribute"))
        script = not self.python and value is not None and value.kind in {"name", "attribute", "subscript"}
        if value is not None and (vain or (value.kind in VALUES and not script)):
            yield self.odd(value, "no effect")

    def _loop(self, loop: CodeNode) -> Iterator[Finding]:
        bodies = bodies_of(loop)
        units = [child for child in bodies[0].children if is_unit(child)] if bodies else []
        inside = list(loop.walk())
        if units and units[-1].kind == "return" and not any(node.kind == "continue" for node in inside):
            yield self.odd(units[-1], "ends loop")
        items = loop.part("items") if loop.kind == "each" else None
        for node in inside if items is not None and items.kind == "name" and self.python else ():
            called = node.part("called") if node.kind == "call" else None
            own = called and items and self.tree.of(called.part("object")) == self.tree.of(items)
            if called and items and own and self.tree.of(called.part("member")) in {"remove", "pop", "insert"}:
                yield ChangedInLoop(self.line(node), self.tree.of(items))
        if any(child.field == "operator" and child.type == "in" for child in loop.children) and not self.python:
            yield self.odd(loop, "goes over keys", 1.5, f"for … in {self.tree.of(items)}")

    def _always(self, node: CodeNode) -> Iterator[Finding]:
        sides = operands(node)
        if sides is None:
            return
        left, sign, right = bare(sides[0]), sides[1], bare(sides[2])
        if node.kind == "comparison":
            if self.tree.of(right) == "NaN" and sign in {"==", "===", "!=", "!=="}:
                yield self.odd(node, "compares with NaN")
            elif "call" not in {left.kind, right.kind} and self.tree.plain(left) == self.tree.plain(right):
                yield self.odd(node, "always true" if sign in {"==", "===", "<=", ">=", "is"} else "always false")
        elif (
            sign in {"or", "||"} and left.kind == "comparison" and right.kind in {"string", "integer", "float", "true"}
        ) or (sign in {"or", "||"} and self._contradict(left, right, {"!=", "!=="})):
            yield self.odd(node, "always true")
        elif sign in {"and", "&&"} and self._contradict(left, right, {"==", "==="}):
            yield self.odd(node, "always false")

    def _contradict(self, one: CodeNode, other: CodeNode, signs: set[str]) -> bool:
        """Whether both compare the same thing by such a sign with different constants."""
        first, second = operands(one), operands(other)
        if first is None or second is None or first[1] not in signs or second[1] not in signs:
            return False
        constant = {"integer", "float", "string"}
        same = self.tree.plain(first[0]) == self.tree.plain(second[0])
        return (
            same and {first[2].kind, second[2].kind} <= constant and self.tree.of(first[2]) != self.tree.of(second[2])
        )

    def _call(self, node: CodeNode) -> Iterator[Finding]:
        called, held = node.part("called"), node.part("arguments")
        if called is None or called.kind != "attribute" or held is None:
            return
        name, parent = self.tree.of(called.part("member")), node.parent
        taken = parent is not None and parent.kind in {"return", "assign"}
        owner = called.part("object")
        held_in = owner is not None and owner.kind in {"name", "attribute"}
        if self.python and taken and held_in and name in {"sort", "reverse", "append", "extend"}:
            yield self.odd(node, "gives none", 2.0, name)
        if not self.python and not self.go and name == "sort" and not items_of(held):
            yield self.odd(node, "sorts as text", 1.5)
        for given in items_of(held) if name in CALLBACKS and not self.python else ():
            body = given.part("body") if given.kind == "lambda" else None
            if body is not None and body.kind == "block" and not _gives(given):
                yield NoReturnOfCallback(self.line(node), name)

    def _assign(self, node: CodeNode) -> Iterator[Finding]:
        sign = next((child for child in node.children if child.type == "="), None)
        right, parent = node.part("right"), node.parent
        signed = right is not None and (
            right.kind == "negative" or right.type in {"unary_operator", "unary_expression"}
        )
        # `=+ 2`: the sign stands with the equals sign, and apart from what it is for.
        if sign and right and signed and right.start == sign.end:
            yield self.odd(node, "sets for adds")
        if parent is not None and parent.kind == "group" and parent.parent and parent.parent.kind in {"if", "loop"}:
            yield self.odd(node, "sets for compares", 3.0)

    def _template(self, node: CodeNode) -> Iterator[Finding]:
        text, function = self.tree.of(node), node.within("function")
        if self.go or function is None or (node.parent and node.parent.kind in {"expression", "attribute"}):
            return
        if not self.python:
            if _SCRIPT_HOLE.search(text):
                yield self.odd(node, "no template", 2.0)
            return
        names = {self.tree.of(each) for each in Scope(self.tree, function).variables}
        if text[:1] in "'\"" and names.intersection(_HOLE.findall(text)):
            yield self.odd(node, "no template", 2.0)

    def _results(self, function: CodeNode) -> Iterator[Finding]:
        body = function.part("body")
        units = [child for child in body.children if is_unit(child)] if body else []
        own = [node for node in function.walk() if node.within("function", "lambda") is function]
        name = self.tree.of(function.part("name"))
        if self.go or not units or any(node.kind == "yield" for node in own):
            return
        with_value = [each for each in own if each.kind == "return" and each.named and each.named[0].kind != "null"]
        last = self.line(units[-1]) if self.python else self.tree.row(function.end - 1) + 1
        if with_value and self.python and not _ends(units):
            yield NoReturn(last, name, sometimes=True, weight=1.5)
        elif name in self.known.results_used and not any(each.kind in {"return", "raise"} for each in own):
            yield NoReturn(last, name)

    def _go(self, function: CodeNode) -> Iterator[Finding]:
        receiver = function.part("receiver")
        held = next((self.tree.of(node) for node in receiver.walk() if node.kind == "name"), "") if receiver else ""
        pointed = receiver is not None and any(node.type == "pointer_type" for node in receiver.walk())
        for node in function.walk():
            owner = node.part("object") if node.kind == "attribute" else None
            if held and not pointed and owner and self.tree.of(owner) == held and _is_set(node):
                yield ChangedCopy(self.line(node), held)
                break
        declared: dict[str, CodeNode | None] = {}
        for node in (each for each in function.walk() if each.kind == "name" and is_target(each)):
            name, block = self.tree.of(node), node.within("block")
            holder = node.within("declare")
            outer = declared.setdefault(name, block) if holder else block
            nested = block is not None and outer is not block and any(up is outer for up in block.above())
            if (
                holder
                and nested
                and name not in {"err", "ok", "_"}
                and node.within("if", "loop", "each") is not holder.parent
            ):
                yield ShadowedVariable(self.line(node), name)


def notice_flow(tree: CodeTree, known: Known) -> Iterator[Finding]:
    return _Flow(tree, known).noticed()


def _gives(function: CodeNode) -> bool:
    return any(node.kind in {"return", "raise"} for node in function.walk())


def _is_set(node: CodeNode) -> bool:
    parent = node.parent
    if parent is not None and parent.kind == "subscript":
        node, parent = parent, parent.parent
    if parent is not None and parent.kind == "tuple":
        return parent.field == "left"
    return is_target_value(node) or (parent is not None and parent.kind == "step")


def _ends(units: list[CodeNode]) -> bool:
    """Whether no path goes on after these statements."""
    last = units[-1] if units else None
    if last is None:
        return False
    if last.kind in {"return", "raise", "continue"}:
        return True
    bodies = [[child for child in body.children if is_unit(child)] for each in _ways(last) for body in bodies_of(each)]
    match last.kind:
        case "if":
            closed = any(child.kind == "else" for child in last.children)
            return closed and all(_ends(body) for body in bodies)
        case "loop":
            return "true" in {node.kind for node in last.children} and not any(n.kind == "break" for n in last.walk())
        case "try":
            return bool(bodies) and all(_ends(body) for body in bodies)
        case "switch":
            cases = [node for node in last.walk() if node.kind == "case"]
            return bool(cases) and all(
                _ends([n for n in each.walk() if is_unit(n) and n is not each]) for each in cases
            )
        case _:
            return False


def _ways(unit: CodeNode) -> Iterator[CodeNode]:
    """A branch with its other ways."""
    yield unit
    yield from (child for child in unit.children if child.kind in {"elif", "else", "catch"})
