"""Which definition of a file each piece of written code replaces."""

import re
from collections.abc import Iterable, Sequence

from mulligan.core.writing.replies import ALONE
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.definitions import CodeText, Definition, Span


def asked_for(old: CodeText, names: Sequence[str], where: CodeBlock | None) -> dict[str, list[Definition]]:
    """What the reply is to replace, by the names: none for what the file lacks."""
    found: dict[str, list[Definition]] = {}
    for each in names:
        owner, _, name = each.rpartition(".")
        like = [one for one in (*old.definitions, *old.nested) if one.name == name]
        around = [one for one in like if where and _covers(old, one, where)]
        same = [one for one in like if one.owner == owner]
        found[each] = [min(around, key=lambda one: one.outer[1] - one.outer[0])] if around else same
    return found


def _covers(old: CodeText, each: Definition, where: CodeBlock) -> bool:
    first, last = (old.text.count(b"\n", 0, at) + 1 for at in each.outer)
    return first <= where.first and where.last <= last


def pieces_of(new: CodeText) -> list[Definition]:
    """What stands for itself, one for each piece of text, without imports: `a, b = 1, 2` defines two names in one."""
    found: dict[Span, Definition] = {}
    for each in new.definitions:
        around = [one for one in new.definitions if one.outer != each.outer and is_within(each.outer, one.outer)]
        if each.name != ALONE and all(one.name == ALONE for one in around) and each.outer not in new.imports:
            found[each.outer] = each
    return list(found.values())


def what_each_extends(
    old: CodeText, new: CodeText, pieces: Sequence[Definition], lacking: Sequence[str]
) -> dict[Definition, Definition]:
    """The class of each method that was asked for, that its class lacks, and that came without it."""
    written = {(each.owner, each.name) for each in new.definitions}
    found: dict[Definition, Definition] = {}
    for owner, _, name in (each.rpartition(".") for each in lacking):
        holder = next((each for each in old.definitions if each.inside and each.name == owner), None)
        bare = [each for each in pieces if each.is_function and each.owner in ("", ALONE) and each.name == name]
        if holder and bare and (owner, name) not in written:
            found[bare[0]] = holder
    return found


def what_each_replaces(
    old: CodeText, new: CodeText, pieces: Sequence[Definition], asked: Sequence[Definition]
) -> dict[Definition, Definition]:
    """What each piece replaces. A function of the name that was asked for is meant by it, wherever that one is."""
    written = {(each.owner, each.name) for each in new.definitions}
    likes: dict[Definition, Definition] = {}
    for like in asked:
        for each in pieces if (like.owner, like.name) not in written else ():
            bare = each.is_function and each.owner in ("", ALONE) and each.name == like.name
            if bare and each not in likes and each.role in ("", like.role):
                likes[each] = like
                break
    had = dict.fromkeys([*pieces_of(old), *asked])
    others = [each for each in pieces if each not in likes]
    likes |= paired([each for each in had if each not in likes.values()], others, asked)
    owners = {each.owner for each in asked}
    for each in others:
        if each not in likes and (each.inside or _is_alone(new, each)):
            known = (*old.definitions, *old.nested) if each.inside else old.definitions
            named = [one for one in known if one.owner and one.name == each.name]
            same = [one for one in named if bool(one.inside) == bool(each.inside)]
            same = [one for one in same if one.owner in owners] or same
            if len(same) == 1:
                likes[each] = same[0]
    return likes


def paired(
    old: Iterable[Definition], new: Sequence[Definition], asked: Sequence[Definition]
) -> dict[Definition, Definition]:
    """By owner, name and role; then by owner and name, if there is only one of each. If the file has more of them, what
    was asked for comes first, then the last: it is the one that counts."""
    pairs: dict[Definition, Definition] = {}
    left = sorted(old, key=lambda each: (each in asked, each.outer))
    for kind in dict.fromkeys((each.owner, each.name, each.role) for each in new):
        came = [each for each in new if (each.owner, each.name, each.role) == kind]
        had = [each for each in left if (each.owner, each.name, each.role) == kind][-len(came) :]
        pairs |= zip(came, sorted(had, key=lambda each: each.outer), strict=False)
    left = [each for each in left if each not in pairs.values()]
    for each in new:
        like = [one for one in left if (one.owner, one.name) == (each.owner, each.name)]
        same = [one for one in new if one not in pairs and (one.owner, one.name) == (each.owner, each.name)]
        if same == [each] and len(like) == 1:
            pairs[each] = like[0]
    return pairs


def _is_alone(new: CodeText, each: Definition) -> bool:
    """Whether it is a method without its class."""
    takes_self = not each.owner and re.match(r"[^(]*\(\s*(?:self|cls)\b", new.of(each.inner))
    return each.is_function and (each.owner == ALONE or bool(takes_self))


def class_to_extend(old: CodeText, new: CodeText, names: Sequence[str], each: Definition) -> Definition | None:
    """The class of what was asked for, for another method that came with it."""
    owners = {name.rpartition(".")[0] for name in names} if _is_alone(new, each) else set[str]()
    return next((one for one in old.definitions if one.inside and one.name in owners), None)


def members_of(cut: CodeText, holder: Definition) -> list[Definition]:
    """What a class consists of, in its order: what it defines itself, fields, blocks, statements and comments."""
    around = holder.inside
    inside = [each for each in (*cut.definitions, *cut.nested) if around and is_within(each.outer, around)]
    outermost = {
        each.outer: each
        for each in reversed(inside)
        if not any(one.outer != each.outer and is_within(each.outer, one.outer) for one in inside)
    }
    parts = [each for each in holder.parts if not any(is_within(each.outer, one) for one in outermost)]
    return sorted([*outermost.values(), *parts], key=lambda each: each.outer)


def is_within(span: Span, around: Span) -> bool:
    return around[0] <= span[0] and span[1] <= around[1]
