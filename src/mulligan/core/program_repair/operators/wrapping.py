"""Values that want another form: in one case, rounded, sorted, copied, waited for, or without a call around them."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.operators.offsets import used_values
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode
from mulligan.syntax.expressions import called_on, callee, items_of

_NAMED = re.compile(r"(?:.*\W)?\w*(?:name|text|line|title|word|key|mail|value|part|row|code|tag|query|label|input|s)",
                    re.IGNORECASE)  # fmt: skip
_HOLES = re.compile(r"\{\w[^{}]*\}")
_SCRIPT_HOLES = re.compile(r"\$\{")
_GO_TYPE = re.compile(r"\[\][\w.]+|map\[\w+\][\w.]+")


def forms(site: Site) -> Iterator[Edit]:
    facts, wraps = site.facts, site.book.wraps
    for node in (*used_values(site), *_owners(site)):
        text = site.of(node)
        if facts.tells_of_text and _is_text(site, node):
            usual = [way for way in wraps["text"] if way.format("").strip("().") in facts.names]
            for way in wraps["text"]:
                yield site.replaced(node, way.format(text), "wrap.text", *(["usual"] if way in usual else []))
        if "text" in facts.symptoms:
            yield from (site.replaced(node, way.format(text), "wrap.convert") for way in wraps["convert"])
        if node.type == "shorthand_property_identifier":
            yield from (site.replaced(node, f"{text}: {way.format(text)}", "wrap.field") for way in wraps["convert"])
    for node in _results(site):
        text = site.of(node)
        for way in wraps["result"]:
            yield site.replaced(
                node,
                way.format(f"({text})" if way.startswith("{") and node.kind == "arithmetic" else text),
                "wrap.result",
            )
        if node.kind == "arithmetic" and facts.tells_of_numbers:
            yield from (site.replaced(node, way.format(text), "wrap.clamp") for way in wraps["clamp"])
        if node.kind in {"arithmetic", "call"} and facts.tells_of_numbers:
            yield from (site.replaced(node, way.format(text), "wrap.number") for way in wraps["number"])
    yield from _divisions(site)
    yield from _copies(site)
    yield from _lengths(site)


def _is_text(site: Site, node: CodeNode) -> bool:
    """Whether a value is named as text is, comes of a method of texts, or is asked for one."""
    beside = node.parent.named if node.parent and node.parent.kind in {"comparison", "arithmetic"} else []
    if any(each.kind in {"integer", "float"} for each in beside):
        return False
    if node.kind != "call" and _NAMED.fullmatch(site.of(node)):
        return True
    asked = node.parent.part("member") if node.parent and node.parent.kind == "attribute" else None
    called = node.part("called") if node.kind == "call" else None
    method = called.part("member") if called and called.kind == "attribute" else asked
    return method is not None and site.of(method) in site.book.values["of_text"]


def _owners(site: Site) -> Iterator[CodeNode]:
    """What a method is called of."""
    found = (called_on(node) for node in site.nodes)
    return (node for node in found if node is not None and node.kind in {"name", "attribute", "subscript"})


def _results(site: Site) -> Iterator[CodeNode]:
    """What a unit hands out, sets or keeps."""
    for node in site.nodes:
        if node.kind == "return" and len(node.named) == 1:
            yield node.named[0]
        elif node.kind in {"assign", "declare", "augment"} and (value := node.part("right")):
            yield value.named[0] if value.kind == "tuple" and len(value.named) == 1 else value


def _divisions(site: Site) -> Iterator[Edit]:
    """A division whose rest is not wanted."""
    if not site.facts.tells_of_numbers:
        return
    for node in site.nodes:
        if node.kind == "arithmetic" and any(child.type == "/" for child in node.children):
            yield from (
                site.replaced(node, way.format(site.of(node)), "wrap.division") for way in site.book.wraps["number"]
            )


def _copies(site: Site) -> Iterator[Edit]:
    """What is taken or handed out as it is, and then changed by somebody else; what can be gone through only once."""
    for node in _results(site):
        text = site.of(node)
        if node.kind in {"name", "attribute"}:
            constant = "constant" if text.isupper() else "value"
            yield from (
                site.replaced(node, way.format(text), "copy.value", constant) for way in site.book.wraps["copy"]
            )
        name = site.of(callee(node))
        if site.tree.language.indented and (name in site.facts.generators or name in site.book.values["once"]):
            yield site.replaced(node, f"list({text})", "copy.once")
        if node.type == "generator_expression":
            yield site.replaced(node, f"[{text[1:-1]}]", "copy.once")
    items = site.unit.part("items") if site.unit.kind == "each" else None
    if items is not None and items.kind in {"name", "attribute", "call"}:
        changed = "changed" if "changed" in site.facts.symptoms or _is_changed(site, items) else "kept"
        yield site.replaced(items, site.book.wraps["copy"][0].format(site.of(items)), "copy.loop", changed)


def _is_changed(site: Site, items: CodeNode) -> bool:
    """Whether a loop changes what it goes over."""
    plain, changing = site.tree.plain, site.book.values["changing"]
    return any(
        owner is not None and plain(owner) == plain(items) and site.of(callee(node)) in changing
        for node in site.unit.walk()
        for owner in [called_on(node)]
    )


def _lengths(site: Site) -> Iterator[Edit]:
    """What is compared with a number by itself, and not by its length; and the other way round."""
    for node in site.nodes:
        if node.kind != "comparison":
            continue
        for side in node.named:
            if side.kind in {"name", "attribute"}:
                yield from (
                    site.replaced(side, way.format(site.of(side)), "wrap.length") for way in site.book.wraps["length"]
                )


def unwrapped(site: Site) -> Iterator[Edit]:
    """A call around a value that was meant as it is."""
    for node in site.nodes:
        if node.kind == "call" and (held := node.part("arguments")):
            given = items_of(held)
            called = node.part("called")
            if len(given) == 1 and given[0].kind != "named" and node.parent and node.parent.kind != "expression":
                own = "recursive" if site.of(called) == site.of(site.scope.node.part("name")) else "other"
                yield site.fitted(node, site.of(given[0]), "unwrap.call", own)
            if not given and called and called.kind == "attribute" and (owner := called.part("object")):
                yield site.replaced(node, site.of(owner), "unwrap.method")
        elif node.kind == "await" and node.named:
            yield site.replaced(node, site.of(node.named[0]), "unwrap.await")


def waiting(site: Site) -> Iterator[Edit]:
    """A call whose result has to be waited for, and is not."""
    for node in site.nodes:
        name = site.of(callee(node))
        if name and not (node.parent and node.parent.kind == "await"):
            if name in site.facts.awaited:
                yield site.replaced(node, f"await {site.of(node)}", "await.known")
            elif "waiting" in site.facts.symptoms or any(child.type == "async" for child in site.scope.node.children):
                yield site.fitted(node, f"await {site.of(node)}", "await.possible")


def marks(site: Site) -> Iterator[Edit]:
    """What is easily left out: the mark of a template, the brackets of a call, a second sign."""
    python = site.tree.language.indented
    for node in site.nodes:
        text = site.of(node)
        if node.kind == "string" and python and text[:1] in "'\"" and _HOLES.search(text):
            yield site.replaced(node, f"f{text}", "mark.template")
        elif node.kind == "string" and not python and _SCRIPT_HOLES.search(text):
            yield site.replaced(node, f"`{text[1:-1]}`", "mark.template")
        elif node.kind == "attribute" and site.of(node.part("member")) in site.book.values["uncalled"]:
            if not (node.parent and node.parent.kind == "call" and node.parent.part("called") is node):
                yield site.replaced(node, f"{text}()", "mark.call")
        elif (
            node.kind == "assign"
            and node.within("group", "if", "loop")
            and node.parent
            and node.parent.kind in {"group", "if"}
        ):
            sign = next((child for child in node.children if child.type == "="), None)
            if sign:
                yield site.replaced(sign, "===", "mark.comparison")


def pitfalls(site: Site) -> Iterator[Edit]:
    """The pitfalls of the language that stand in its file."""
    for node in site.nodes:
        for rule in site.book.pitfalls.get(node.type, ()):
            if rule.symptom and rule.symptom not in site.facts.symptoms:
                continue
            made = rule.fixed(site.tree, node, site.scope)
            if made is not None:
                yield site.replaced(node, _bracketed(node, made), f"pitfall.{rule.certainty}")


def _bracketed(node: CodeNode, made: str) -> str:
    parent = node.parent
    tight = parent is not None and (
        parent.kind in {"arithmetic", "comparison", "negative"}
        or (parent.kind in {"attribute", "subscript"} and parent.part("object") is node)
    )
    return (
        f"({made})"
        if tight and " " in made and made[:1] not in "([{" and not re.fullmatch(r"[\w.]+\(.*\)", made)
        else made
    )
