"""What the operators need to know about a language, read from its file: words, confusable pairs, pitfalls.

A pitfall is a pattern over the syntax tree with its correction; `both` means in both directions. `sure` are those that
are hardly ever intended, `likely` those that are often a fault, `possible` mere alternatives.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mulligan.runtime.packaged_data import packaged_toml
from mulligan.syntax.code_tree import CodeNode, CodeTree
from mulligan.syntax.registry import grammars
from mulligan.syntax.scopes import Scope
from mulligan.syntax.tree_pattern import Bound, TreePattern, filled, tree_pattern

CERTAINTIES = ("sure", "likely", "possible")


@dataclass(frozen=True, slots=True)
class Pitfall:
    certainty: str
    find: TreePattern
    make: str
    where: tuple[tuple[str, re.Pattern[str]], ...] = ()
    """What a hole matches has to look like this; after `!` it must not."""
    also_contains: TreePattern | None = None
    """What else the function has to contain."""
    symptom: str = ""
    """The symptom that the failure has to show."""

    def fixed(self, tree: CodeTree, node: CodeNode, scope: Scope) -> str | None:
        bound = self.find.match(tree, node) if node.type == self.find.node.type else None
        if bound is None or not self._fits(tree, bound):
            return None
        if self.also_contains and not self.also_contains.found_in(tree, scope.node, bound):
            return None
        return filled(self.make, tree, bound)

    def _fits(self, tree: CodeTree, bound: Bound) -> bool:
        for name, looks in self.where:
            nodes = bound[name.lstrip("!")]
            text = tree.of_bytes(nodes[0].start, nodes[-1].end) if nodes else ""
            if bool(looks.fullmatch(text)) == name.startswith("!"):
                return False
        return True


@dataclass(frozen=True, slots=True)
class RuleBook:
    negation: str
    both: str
    either: str
    null: str
    end: str
    """What ends a statement."""
    empty: str
    """An empty block, where a statement is required."""
    length: str
    is_null: str
    guard: str
    """An early return: `{0}` is the condition, `{1}` the value."""
    branch: str
    """A statement `{1}` under a condition `{0}`."""
    or_else: str
    """What follows it, for the other case."""
    is_empty: str
    swaps: Mapping[str, tuple[str, ...]]
    """Operators that are confused, the likeliest first."""
    pairs: Mapping[str, frozenset[str]]
    """Functions and methods that are confused."""
    wraps: Mapping[str, tuple[str, ...]]
    """Forms that a value may lack, by purpose."""
    changes: Mapping[str, tuple[str, ...]]
    """How state is changed, by the kind of its initial value."""
    begins: tuple[tuple[str, re.Pattern[str]], ...]
    """What initial values of each kind look like."""
    values: Mapping[str, tuple[str, ...]]
    """Lists of words: what is called, what has no effect, numbers of a kind; empty if a language has none."""
    undo: Mapping[str, str]
    """The method that undoes another one."""
    modules: Mapping[str, str]
    """The modules of names that people forget to import."""
    pitfalls: Mapping[str, Sequence[Pitfall]]
    """By the type of their first node."""

    def kind_of(self, begun: str) -> str:
        """The kind of a value, by its initial text; empty if that does not tell."""
        return next((kind for kind, looks in self.begins if looks.fullmatch(begun)), "")


_OWN_RULES = frozenset({"python", "javascript", "go"})
"""Grammars with a file of their own."""


@lru_cache(maxsize=8)
def rule_book(language: str) -> RuleBook:
    """Languages without a file of their own get what scripting languages have in common."""
    has_own = language.lower() in _OWN_RULES
    name = language.lower() if has_own else "javascript"
    own, common = _read(name), _read("common")
    words = {key: value for key, value in own.items() if isinstance(value, str)}
    values = defaultdict[str, tuple[str, ...]](tuple, _listed(common["values"] | own["values"]))
    pitfalls: dict[str, list[Pitfall]] = {}
    for each in _pitfalls(own, f"rule.{grammars()[name].extensions[0]}") if has_own else ():
        pitfalls.setdefault(each.find.node.type, []).append(each)
    return RuleBook(
        **words,
        swaps=_swaps([*common["swaps"], *own.get("swaps", ())]),
        pairs=_pairs([*common["pairs"], *own["pairs"]]),
        wraps=_listed(own["wraps"]),
        changes=_listed(own["changes"]),
        begins=tuple((kind, re.compile(looks)) for kind, looks in own["begins"].items()),
        values=values,
        undo=dict(each.split(":") for each in values["undo"]),
        modules={name: module or name for module, names in own.get("modules", {}).items() for name in names.split()},
        pitfalls=pitfalls,
    )


def _pitfalls(data: Mapping[str, Any], path: str) -> Iterator[Pitfall]:
    for certainty in CERTAINTIES:
        for find, make, *more in data.get(certainty, ()):
            given: dict[str, Any] = more[0] if more else {}
            where = tuple((key, re.compile(looks)) for key, looks in given.items() if key.lstrip("!").isupper())
            also_contains = tree_pattern(path, given["also_contains"]) if "also_contains" in given else None
            for old, new in ((find, make), (make, find)) if "both" in given else ((find, make),):
                yield Pitfall(certainty, tree_pattern(path, old), new, where, also_contains, given.get("symptom", ""))


def _swaps(listed: list[str]) -> dict[str, tuple[str, ...]]:
    """`not_in` is one operator of two words."""
    rows = [[sign.replace("_", " ") for sign in row.split()] for row in listed]
    return {sign: tuple(others) for sign, *others in rows}


def _pairs(listed: list[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for words in (line.split() for line in listed):
        for word in words:
            found.setdefault(word, set()).update(set(words) - {word})
    return {word: frozenset(others) for word, others in found.items()}


def _listed(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(value.split()) if isinstance(value, str) else tuple(value) for key, value in table.items()}


def _read(name: str) -> dict[str, Any]:
    return packaged_toml("mulligan.core.program_repair.rules", f"{name}.toml")
