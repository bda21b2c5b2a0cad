"""Code that runs but rarely does what was meant: statements without effect, paths without a result."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.findings.finding import FileContext, FindingKind, Odd
from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.syntax.code_tree import CodeNode, CodeTree, bodies_of, unbracketed, units_in
from mulligan.syntax.expressions import called_on, callee, is_set, items_of, operands
from mulligan.syntax.scopes import Scope, is_target

MAX_SHOWN_CHARS = 60
CALLBACKS = frozenset({"map", "filter", "find", "findIndex", "some", "every", "reduce", "sort"})
VALUES = frozenset({"comparison", "arithmetic", "boolean", "not", "negative", "subscript", "attribute", "name"})
EQUAL, UNEQUAL = frozenset({"==", "==="}), frozenset({"!=", "!=="})
_HOLE = re.compile(r"\{(\w+)[^{}]*\}")
_SCRIPT_HOLE = re.compile(r"\$\{\w")


class _Flow:
    def __init__(self, tree: CodeTree, known: FileContext) -> None:
        self.tree, self.known, self.of = tree, known, tree.of
        self.book = rule_book(tree.language.name)
        self.python, self.go = tree.language.indented, tree.language.name == "Go"

    def odd(self, node: CodeNode, fault: FindingKind, code: str = "") -> Odd:
        text = code or " ".join(self.of(node).split())
        short = text if len(text) <= MAX_SHOWN_CHARS else f"{text[: MAX_SHOWN_CHARS - 1]}…"
        return Odd(self.tree.row(node.start) + 1, fault, short)

    def noticed(self) -> Iterator[Odd]:
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
                case "default" if (value := node.part("value")) and self.of(value) in self.book.values["mutable"]:
                    default = f"{self.of(node.children[0])}={self.of(value)}"
                    yield self.odd(node, FindingKind.SHARED_DEFAULT, default)
                case "string":
                    yield from self._template(node)
                case "function":
                    yield from self._go(node) if self.go else self._results(node)
                case _:
                    pass

    def _effect(self, unit: CodeNode) -> Iterator[Odd]:
        value = unit.named[0] if len(unit.named) == 1 else None
        if value is None:
            return
        vain = self.of(callee(value)) in self.book.values["pure"] and (self.python or called_on(value) is not None)
        script = not self.python and value.kind in {"name", "attribute", "subscript"}
        if vain or (value.kind in VALUES and not script):
            yield self.odd(value, FindingKind.NO_EFFECT)

    def _loop(self, loop: CodeNode) -> Iterator[Odd]:
        bodies, inside = bodies_of(loop), list(loop.walk())
        units = units_in(bodies[0]) if bodies else []
        if units and units[-1].kind == "return" and not any(node.kind == "continue" for node in inside):
            yield self.odd(units[-1], FindingKind.ENDS_LOOP)
        items = loop.part("items") if loop.kind == "each" else None
        for node in inside if items is not None and items.kind == "name" and self.python else ():
            owner = called_on(node)
            if owner and self.of(owner) == self.of(items) and self.of(callee(node)) in {"remove", "pop", "insert"}:
                yield self.odd(node, FindingKind.CHANGED_IN_LOOP, self.of(items))
        if any(child.field == "operator" and child.type == "in" for child in loop.children) and not self.python:
            yield self.odd(loop, FindingKind.GOES_OVER_KEYS, f"for … in {self.of(items)}")

    def _always(self, node: CodeNode) -> Iterator[Odd]:
        sides = operands(node)
        if sides is None:
            return
        left, sign, right = unbracketed(sides[0]), sides[1], unbracketed(sides[2])
        if node.kind == "comparison":
            if self.of(right) == "NaN" and sign in EQUAL | UNEQUAL:
                yield self.odd(node, FindingKind.COMPARES_WITH_NAN)
            elif "call" not in {left.kind, right.kind} and self.tree.plain(left) == self.tree.plain(right):
                same = sign in {*EQUAL, "<=", ">=", "is"}
                if sign not in UNEQUAL:  # NaN differs from itself
                    yield self.odd(node, FindingKind.ALWAYS_TRUE if same else FindingKind.ALWAYS_FALSE)
        elif sign in {"or", "||"}:
            constant = left.kind == "comparison" and right.kind in {"string", "integer", "float", "true"}
            if constant or self._contradict(left, right, UNEQUAL):
                yield self.odd(node, FindingKind.ALWAYS_TRUE)
        elif sign in {"and", "&&"} and self._contradict(left, right, EQUAL):
            yield self.odd(node, FindingKind.ALWAYS_FALSE)

    def _contradict(self, one: CodeNode, other: CodeNode, signs: frozenset[str]) -> bool:
        """Whether both compare the same thing by such an operator with different constants."""
        first, second = operands(one), operands(other)
        if first is None or second is None or not {first[1], second[1]} <= signs:
            return False
        constant = {first[2].kind, second[2].kind} <= {"integer", "float", "string"}
        same = self.tree.plain(first[0]) == self.tree.plain(second[0])
        return same and constant and self.of(first[2]) != self.of(second[2])

    def _call(self, node: CodeNode) -> Iterator[Odd]:
        owner, held = called_on(node), node.part("arguments")
        if owner is None or held is None:
            return
        name = self.of(callee(node))
        taken = node.around in {"return", "assign"} and owner.kind in {"name", "attribute"}
        if self.python and taken and name in {"sort", "reverse", "append", "extend"}:
            yield self.odd(node, FindingKind.GIVES_NONE, name)
        if not self.python and not self.go and name == "sort" and not items_of(held):
            yield self.odd(node, FindingKind.SORTS_AS_TEXT)
        for given in items_of(held) if name in CALLBACKS and not self.python else ():
            body = given.part("body") if given.kind == "lambda" else None
            if body is not None and body.kind == "block" and not _gives(given.walk()):
                yield self.odd(node, FindingKind.CALLBACK, name)

    def _assign(self, node: CodeNode) -> Iterator[Odd]:
        sign, right = next((child for child in node.children if child.type == "="), None), node.part("right")
        signed = right is not None and (right.kind == "negative" or right.type.startswith("unary_"))
        # `=+ 2`: the sign is next to the equals sign, and separated from its operand.
        if sign and right and signed and right.start == sign.end:
            yield self.odd(node, FindingKind.SETS_FOR_ADDS)
        if node.around == "group" and node.parent and node.parent.around in {"if", "loop"}:
            yield self.odd(node, FindingKind.SETS_FOR_COMPARES)

    def _template(self, node: CodeNode) -> Iterator[Odd]:
        text, function = self.of(node), node.within("function")
        if self.go or function is None or node.around in {"expression", "attribute"}:
            return
        if self.python and text[:1] in "'\"":
            names = {self.of(each) for each in Scope(self.tree, function).variables}
            has_hole = not names.isdisjoint(_HOLE.findall(text))
        else:
            has_hole = not self.python and _SCRIPT_HOLE.search(text)
        if has_hole:
            yield self.odd(node, FindingKind.NO_TEMPLATE)

    def _results(self, function: CodeNode) -> Iterator[Odd]:
        units, name = units_in(function.part("body")), self.of(function.part("name"))
        own = [node for node in function.walk() if node.within("function", "lambda") is function]
        if not units or any(node.kind == "yield" for node in own):
            return
        with_value = any(each.kind == "return" and each.named and each.named[0].kind != "null" for each in own)
        line = (self.tree.row(units[-1].start) if self.python else self.tree.row(function.end - 1)) + 1
        if with_value and self.python and not any(map(_is_end, units)):
            yield Odd(line, FindingKind.RETURNS_SOMETIMES, name)
        elif name in self.known.results_used and not _gives(own):
            yield Odd(line, FindingKind.NO_RETURN, name)

    def _go(self, function: CodeNode) -> Iterator[Odd]:
        receiver = list(taken.walk()) if (taken := function.part("receiver")) else []
        held = next((self.of(node) for node in receiver if node.kind == "name"), "")
        if held and not any(node.type == "pointer_type" for node in receiver):
            fields = (node for node in function.walk() if node.kind == "attribute" and is_set(node))
            copied = next((node for node in fields if self.of(node.part("object")) == held), None)
            yield from [self.odd(copied, FindingKind.CHANGED_COPY, held)] if copied else ()
        declared: dict[str, CodeNode | None] = {}
        for node in (each for each in function.walk() if each.kind == "name" and is_target(each)):
            name, block, holder = self.of(node), node.within("block"), node.within("declare")
            if holder is None or block is None:
                continue
            outer = declared.setdefault(name, block)
            nested = outer is not block and any(up is outer for up in block.above())
            of_head = node.within("if", "loop", "each") is holder.parent
            if nested and not of_head and name not in {"err", "ok", "_"}:
                yield self.odd(node, FindingKind.SHADOWED, name)


def notice_flow(tree: CodeTree, known: FileContext) -> Iterator[Odd]:
    return _Flow(tree, known).noticed()


def _gives(nodes: Iterator[CodeNode] | list[CodeNode]) -> bool:
    return any(node.kind in {"return", "raise"} for node in nodes)


def _is_end(unit: CodeNode) -> bool:
    """Whether no path continues after this statement in Python."""
    parts = [unit, *(child for child in unit.walk() if child.kind == "case" or child.parent is unit)]
    ends = [(each.type, any(map(_is_end, units_in(body)))) for each in parts for body in bodies_of(each)]
    done = {part for part, is_end in ends if is_end}
    match unit.kind:
        case "return" | "raise" | "continue":
            return True
        case "if":
            return "else_clause" in done and all(is_end for _, is_end in ends)
        case "loop" | "each":
            endless = (test := unit.part("condition")) and unbracketed(test).kind in {"true", "integer"}
            return bool(endless or "else_clause" in done) and not any(map(_breaks, bodies_of(unit)))
        case "try":
            caught = all(is_end for part, is_end in ends if part == "except_clause")
            return "finally_clause" in done or (caught and not done.isdisjoint({unit.type, "else_clause"}))
        case _:
            return unit.kind == "switch" and all(is_end for part, is_end in ends if part == "case_clause")


def _breaks(node: CodeNode) -> bool:
    """Whether it leaves the loop around it."""
    inner = [child for child in node.children if node.kind not in {"loop", "each"} or child.kind == "else"]
    return node.kind == "break" or any(map(_breaks, inner))
