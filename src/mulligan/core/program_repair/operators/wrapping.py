"""Values that need another form: in one case, rounded, sorted, copied, awaited, or without a call around them."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.operators.offsets import used_values
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, unbracketed
from mulligan.syntax.expressions import called_on, callee, is_called, items_of

_NAMED = re.compile(r"(?:.*\W)?\w*(?:name|text|line|title|word|key|mail|value|part|row|code|tag|query|label|input|s)",
                    re.IGNORECASE)  # fmt: skip
_HOLES = re.compile(r"\{\w[^{}]*\}")


def forms(site: Site) -> Iterator[Edit]:
    facts, wraps = site.facts, site.book.wraps
    owners = (owner for node in site.nodes if (owner := called_on(node)))
    for node in (*used_values(site), *(each for each in owners if each.kind in {"name", "attribute", "subscript"})):
        if facts.tells_of_text and _is_text(site, node):
            for way in wraps["text"]:
                usual = ["usual"] if way.format("").strip("().") in facts.names else []
                yield site.replaced(node, way.format(site.of(node)), "wrap.text", *usual)
        if "text" in facts.symptoms:
            yield from _wrapped(site, node, "convert")
        if node.type == "shorthand_property_identifier":
            yield from _wrapped(site, node, "convert", "field", f"{site.of(node)}: {{}}")
    for node in _results(site):
        for way in wraps["result"]:
            held = f"({site.of(node)})" if way.startswith("{") and node.kind == "arithmetic" else site.of(node)
            yield site.replaced(node, way.format(held), "wrap.result")
        if node.kind in {"arithmetic", "call"} and facts.tells_of_numbers:
            yield from _wrapped(site, node, "number")
            yield from _wrapped(site, node, "clamp") if node.kind == "arithmetic" else ()
        yield from _copies(site, node)
    for node in site.nodes:
        divides = node.kind == "arithmetic" and any(child.type == "/" for child in node.children)
        if divides and facts.tells_of_numbers:
            yield from _wrapped(site, node, "number", "division")
        # A value that is compared with a number itself, instead of its length.
        if node.kind in {"name", "attribute"} and node.around == "comparison":
            yield site.replaced(node, site.book.length.format(site.of(node)), "wrap.length")
    yield from _copies_given(site)
    yield from _copied_for_loop(site)


def _copies_given(site: Site) -> Iterator[Edit]:
    """A value that is handed on without a copy."""
    for node in used_values(site):
        if node.around in {"arguments", "pair", "named", "composite"} and node.kind in {"name", "attribute"}:
            ways = site.book.wraps["copy"][:2]
            yield from (site.replaced(node, way.format(site.of(node)), "copy.given") for way in ways)


def _wrapped(site: Site, node: CodeNode, form: str, name: str = "", within: str = "{}") -> Iterator[Edit]:
    for way in site.book.wraps[form]:
        yield site.replaced(node, within.format(way.format(site.of(node))), f"wrap.{name or form}")


def _is_text(site: Site, node: CodeNode) -> bool:
    """Whether a value is text: by its name, by a string method that gives it, or by how it is used."""
    operands = node.parent.named if node.parent and node.around in {"comparison", "arithmetic"} else []
    if any(each.kind in {"integer", "float"} for each in operands):
        return False
    if node.kind != "call" and _NAMED.fullmatch(site.of(node)):
        return True
    asked = node.parent.part("member") if node.parent and node.around == "attribute" else None
    method = callee(node) if called_on(node) else asked
    return method is not None and site.of(method) in site.book.values["of_text"]


def _results(site: Site) -> Iterator[CodeNode]:
    """What a unit returns, sets or stores."""
    for node in site.nodes:
        if node.kind == "return" and len(node.named) == 1:
            yield unbracketed(node.named[0])
        elif node.kind in {"assign", "declare", "augment"} and (value := node.part("right")):
            yield unbracketed(value.named[0] if value.kind == "tuple" and len(value.named) == 1 else value)


def _copies(site: Site, node: CodeNode) -> Iterator[Edit]:
    """A value stored or returned without a copy and then changed elsewhere; an iterator that can be used only once."""
    text, name = site.of(node), site.of(callee(node))
    for way in site.book.wraps["copy"] if node.kind in {"name", "attribute"} else ():
        yield site.replaced(node, way.format(text), "copy.value", "constant" if text.isupper() else "value")
    if site.tree.language.indented and (name in site.facts.generators or name in site.book.values["once"]):
        yield site.replaced(node, f"list({text})", "copy.once")
    if node.type == "generator_expression":
        yield site.replaced(node, f"[{text[1:-1]}]", "copy.once")


def _copied_for_loop(site: Site) -> Iterator[Edit]:
    items = site.unit.part("items") if site.unit.kind == "each" else None
    if items is not None and items.kind in {"name", "attribute", "call"}:
        changing = (each for each in site.unit.walk() if site.of(callee(each)) in site.book.values["changing"])
        owners = {site.tree.plain(owner) for each in changing if (owner := called_on(each))}
        changed = "changed" in site.facts.symptoms or site.tree.plain(items) in owners
        copied = site.book.wraps["copy"][0].format(site.of(items))
        yield site.replaced(items, copied, "copy.loop", "changed" if changed else "kept")


def unwrapped(site: Site) -> Iterator[Edit]:
    """Removes a call around a value."""
    for node in site.nodes:
        if node.kind == "call" and (held := node.part("arguments")):
            given = items_of(held)
            if len(given) == 1 and given[0].kind != "named" and node.around != "expression":
                own = site.of(node.part("called")) == site.of(site.scope.node.part("name"))
                yield site.fitted(node, site.of(given[0]), "unwrap.call", "recursive" if own else "other")
            if not given and (owner := called_on(node)):
                yield site.replaced(node, site.of(owner), "unwrap.method")
        elif node.kind == "await" and node.named:
            yield site.replaced(node, site.of(node.named[0]), "unwrap.await")


def waiting(site: Site) -> Iterator[Edit]:
    """A call whose result has to be awaited, and is not."""
    for node in site.nodes:
        name = site.of(callee(node))
        if name and node.around != "await":
            if name in site.facts.awaited:
                yield site.replaced(node, f"await {site.of(node)}", "await.known")
            elif "waiting" in site.facts.symptoms or any(child.type == "async" for child in site.scope.node.children):
                yield site.fitted(node, f"await {site.of(node)}", "await.possible")


def marks(site: Site) -> Iterator[Edit]:
    """Easily forgotten marks: a template's prefix, a call's brackets, a comparison's second `=`."""
    python = site.tree.language.indented
    for node in site.nodes:
        text = site.of(node)
        if node.kind == "string" and python and text[:1] in "'\"" and _HOLES.search(text):
            yield site.replaced(node, f"f{text}", "mark.template")
        elif node.kind == "string" and not python and "${" in text:
            yield site.replaced(node, f"`{text[1:-1]}`", "mark.template")
        elif node.kind == "attribute" and site.of(node.part("member")) in site.book.values["uncalled"]:
            if not is_called(node):
                yield site.replaced(node, f"{text}()", "mark.call")
        elif node.kind == "assign" and node.around in {"group", "if"}:
            signs = [child for child in node.children if child.type == "="]
            yield from (site.replaced(sign, "===", "mark.comparison") for sign in signs)


def pitfalls(site: Site) -> Iterator[Edit]:
    """The pitfalls in the language's rule file."""
    for node in site.nodes:
        for rule in site.book.pitfalls.get(node.type, ()):
            if rule.symptom and rule.symptom not in site.facts.symptoms:
                continue
            made = rule.fixed(site.tree, node, site.scope)
            if made is not None:
                yield site.replaced(node, _bracketed(node, made), f"pitfall.{rule.certainty}")


def _bracketed(node: CodeNode, made: str) -> str:
    asked = node.parent is not None and node.parent.part("object") is node
    tight = node.around in {"arithmetic", "comparison", "negative"} or (
        asked and node.around in {"attribute", "subscript"}
    )
    whole = " " not in made or made[:1] in "([{" or re.fullmatch(r"[\w.]+\(.*\)", made)
    return f"({made})" if tight and not whole else made
