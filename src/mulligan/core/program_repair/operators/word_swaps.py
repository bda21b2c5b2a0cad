"""One word of a line for another of the project: a name, a property, a key, a number, a piece of text."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.failures.symptoms import swapped_pieces
from mulligan.core.program_repair.operators.line_rules import EXPRESSION_RULES
from mulligan.core.program_repair.operators.off_by_one import other_numbers
from mulligan.core.program_repair.operators.operands import operands
from mulligan.core.program_repair.operators.wrapping import other_forms
from mulligan.core.program_repair.sites.line_context import LineContext
from mulligan.core.program_repair.sites.vocabulary import ProjectWords, fitting_shapes
from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted, comment_mark, read_line

NEAR, MISSPELT, KEY_LIKE = 0.6, 0.75, 0.4
"""How alike two names are that may be taken for each other, those of which one is a slip of the pen, and two keys."""
HEADS = frozenset({"def", "func", "function", "import", "from", "class", "package"})
TYPES = frozenset({
    "int", "str", "float", "bool", "list", "dict", "set", "tuple", "string", "error", "byte", "rune", "any", "int64",
    "float64", "uint", "object", "Math", "Object", "Number", "String", "Array", "JSON", "Promise", "Map", "Set",
    "Error", "console", "module", "exports", "require", "process", "cls",
})  # fmt: skip
"""Words that stand where variables stand, and are none."""

_STRING = re.compile(r"""(['"])([\w .:/-]{1,40})\1""")
_TAKEN = re.compile(r"[\w\s,\]})]*=>")
"""What follows the parameter of a function within the line."""
_HOLE = re.compile(r"\{([^{}]+)\}")


def other_words(line: CodeLine, around: LineContext, vocabulary: ProjectWords, path: str) -> Iterator[Weighted]:
    for index, token in enumerate(line.tokens):
        if token.kind == "name" and token.text not in KEYWORDS:
            yield from _other_names(line, index, around, vocabulary, path)
            yield from _other_members(line, index, around, vocabulary)
            yield from _other_fields(line, index, vocabulary)
            yield from _arguments_by_name(line, index, vocabulary)
        elif token.kind == "string":
            yield from _other_keys(line, index, vocabulary)
            yield from _other_texts(line, index, vocabulary)
            yield from _in_template(line, index, around, vocabulary, path)
        elif token.kind == "number":
            for name in around.unused.intersection(around.names) if line.at(0) not in HEADS else ():
                yield 2.8, line.replaced(index, index + 1, name)
            for weight, number in other_numbers(line, index, around, vocabulary):
                yield weight, line.replaced(index, index + 1, number)


def _other_names(
    line: CodeLine, index: int, around: LineContext, vocabulary: ProjectWords, path: str
) -> Iterator[Weighted]:
    name = line.at(index)
    follows_dot = line.at(index - 1) == "."
    free = not follows_dot and line.at(index + 1) not in {"(", ":"} and not _is_declared(line, index)
    rare = vocabulary.names[name] <= 1
    for other in vocabulary.names:
        if other == name:
            continue
        likeness = likeness_of(name, other)
        if likeness >= MISSPELT and rare:
            yield 1.0 + (1 - likeness), line.replaced(index, index + 1, other)
        elif free and _may_stand_for(name, other, around, vocabulary, asked=line.at(index + 1) == "."):
            twice = sum(token.text == name for token in line.tokens) > 1
            weight = 1.9 if other in vocabulary.unused else _name_weight(name, other, around, twice=twice)
            yield weight, line.replaced(index, index + 1, other)
        elif likeness >= NEAR:
            yield 5.2, line.replaced(index, index + 1, other)
    owner = "self" if path.endswith(".py") else "this"
    if not follows_dot and line.at(0) not in HEADS and f"{owner}." in around.names:
        yield 6.0, line.replaced(index, index + 1, f"{owner}.{name}")


def _is_declared(line: CodeLine, index: int) -> bool:
    """Whether the line gives the name a value, and does not use it."""
    behind = {token.text for token in line.tokens[index + 1 :]}
    if line.at(0) in HEADS or line.at(0) in {"export", "async"} or _TAKEN.match(line.text(index + 1, len(line.tokens))):
        return True
    if line.at(0) == "for":
        return bool(behind & {"in", "of", ":="}) and line.at(index - 1) != "."
    return (
        ":=" in behind or (line.at(0) in {"const", "let", "var"} and "=" in behind) or line.at(line.after(index)) == "="
    )


def _may_stand_for(name: str, other: str, around: LineContext, vocabulary: ProjectWords, *, asked: bool) -> bool:
    """Whether both are variables of the function, or both constants; and where something is asked of the one behind
    its dot, whether anything is asked of the other."""
    if name in TYPES or other in TYPES or (asked and not (other in vocabulary.members or other in vocabulary.methods)):
        return False
    if name.isupper() or other.isupper():
        return name.isupper() and other.isupper() and len(other) > 1
    return other in around.names and name[0].isupper() == other[0].isupper()


def _name_weight(name: str, other: str, around: LineContext, *, twice: bool) -> float:
    """What is told of, or given, and not used, was meant where another stands."""
    if other in around.documented and name.isupper():
        return 2.2
    if other in around.unused:
        return 2.4
    if name.isupper():
        return 3.6
    return 4.2 if twice else 4.4 if name in around.given and other in around.given else 5.0


def _other_members(line: CodeLine, index: int, around: LineContext, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """Another property of the same thing. One that nothing defines, where others are defined, is hardly meant."""
    name, owner = line.at(index), line.at(index - 2)
    if line.at(index - 1) != "." or not owner.isidentifier():
        return
    called = line.at(index + 1) == "("
    others = [each for each in (vocabulary.methods if called else vocabulary.members).get(owner, ()) if each != name]
    if owner in {"self", "this"}:  # of another class in another file
        others = [each for each in others if each in around.owned]
    text = line.text(0, len(line.tokens))
    for other in others:
        beside = bool(re.search(rf"\b{owner}\.{other}\b", text))
        # Who writes a line by copying half of it forgets to change the copy.
        again = re.findall(rf"\b{owner}\.{name}\b", text)
        last = not re.search(rf"\b{owner}\.{name}\b", line.text(index + 1, len(line.tokens)))
        weight = 4.5 if called else 1.9 if len(again) > 1 and last else 2.7 if len(again) > 1 or beside else 3.2
        yield weight + _rarity(name, other, vocabulary), line.replaced(index, index + 1, other)
    if not called and owner not in TYPES:
        for weight, other in _of_shape(name, frozenset(others), vocabulary):
            # What the line asks of one thing it mostly asks of the other too.
            alike = bool(re.search(rf"\.{other}\b", text))
            # Who multiplies a thing by itself, and never asks for its third side, meant that one.
            copied = len(re.findall(rf"\b{owner}\.{name}\b", text)) > 1 and not vocabulary.is_read(other)
            yield weight - 0.9 * alike - 1.2 * copied, line.replaced(index, index + 1, other)


def _other_fields(line: CodeLine, index: int, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """A field that is asked of several things in the line, and was meant to be another of each."""
    name = line.at(index)
    text = line.text(0, len(line.tokens))
    if line.at(index - 1) != "." or len(re.findall(rf"\.{name}\b", text)) < 2:
        return
    for shape in fitting_shapes(vocabulary.shapes, frozenset({name})):
        for other in shape:
            if other != name:
                yield 3.6, re.sub(rf"\.{name}\b", f".{other}", text) + line.trail


def _of_shape(name: str, asked: frozenset[str], vocabulary: ProjectWords) -> Iterator[Weighted]:
    """Fields of things that have what is asked of this one elsewhere; where nothing has them, any field."""
    fitting = fitting_shapes(vocabulary.shapes, asked or frozenset({name}))
    known = any(name in shape for shape in fitting)
    alike = any(2 * len(asked.intersection(shape)) >= len(asked) for shape in fitting)
    unknown = not any(name in shape for shape in vocabulary.shapes) and name not in vocabulary.defined
    for shape in fitting or (vocabulary.shapes if unknown else ()):
        for other in shape:
            if other != name and other not in asked:
                yield (3.3 if known else 2.2 if fitting and alike else 3.8), other


def _rarity(name: str, other: str, vocabulary: ProjectWords) -> float:
    """A property that stands nowhere else, and that nothing defines, is hardly meant."""
    rare, other_rare = vocabulary.names[name] <= 1, vocabulary.names[other] <= 1
    if other_rare:
        return 0.0 if rare else 1.0
    if not rare or name in vocabulary.defined:
        return 0.0
    return -1.3 if name.startswith(other) or other.startswith(name) else -0.8


def _arguments_by_name(line: CodeLine, index: int, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """Arguments that are named as the parameters are, and stand in another order."""
    taken = vocabulary.parameters.get(line.at(index), ())
    closing = line.closing(index + 1) if line.at(index + 1) == "(" and line.at(0) not in HEADS else None
    if closing is None or not taken:
        return
    given = [line.text(*part).strip() for part in line.split(index + 2, closing, ",")]
    last = [each.rpartition(".")[2] for each in given]
    order = [name for name in taken if name in last]
    if len(order) > 1 and len(given) <= len(taken) and [name for name in last if name in order] != order:
        sorted_given = iter([given[last.index(name)] for name in order])
        meant = [next(sorted_given) if name in order else each for name, each in zip(last, given, strict=True)]
        yield 1.3, line.replaced(index + 2, closing, ", ".join(meant))


def _other_keys(line: CodeLine, index: int, vocabulary: ProjectWords) -> Iterator[Weighted]:
    text = line.at(index)
    found = _STRING.fullmatch(text.lstrip("rbfu"))
    if not found:
        return
    quote, key = found[1], found[2]
    is_key = line.at(line.before(index)) in {"[", "{", ",", "("}
    rare = vocabulary.keys[key] <= 1
    for other in vocabulary.keys:
        likeness = likeness_of(key, other) if other != key else 0.0
        if likeness >= MISSPELT:
            weight = 1.0 + (1 - likeness)
        elif likeness >= KEY_LIKE:
            weight = 3.0 if rare and is_key else 4.0
        else:
            weight = 4.4 if rare and is_key else 5.4
        if other != key and (is_key or likeness >= KEY_LIKE):
            yield weight, line.replaced(index, index + 1, f"{quote}{other}{quote}")


def _other_texts(line: CodeLine, index: int, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """The piece of text by which what was got differs from what was wanted, where this line has it."""
    text = line.at(index)
    for got, wanted in swapped_pieces(vocabulary.differences):
        at = text.find(got, 1)
        if got and 0 < at < len(text) - len(got):
            yield 1.6, line.replaced(index, index + 1, f"{text[:at]}{wanted}{text[at + len(got) :]}")


def _in_template(
    line: CodeLine, index: int, around: LineContext, vocabulary: ProjectWords, path: str
) -> Iterator[Weighted]:
    """What a template computes in its holes is code like any other."""
    text = line.at(index)
    if not text.startswith(("f", "`")):
        return
    for hole in _HOLE.finditer(text):
        inner = re.split(r"(?<!:):(?!:)|![rsa](?=:|$)", hole[1])[0] if text.startswith("f") else hole[1]
        code = read_line(inner, comment_mark(path))
        made = [each for rule in EXPRESSION_RULES for each in rule(code, path)]
        if line.at(0) not in {"raise", "throw"}:
            made += operands(code, around, vocabulary, path)
            made += other_forms(code, path, vocabulary)
        for weight, new in (*made, *other_words(code, around, vocabulary, path)):
            end = hole.start(1) + len(inner)
            yield weight, line.replaced(index, index + 1, f"{text[: hole.start(1)]}{new}{text[end:]}")


def likeness_of(one: str, other: str) -> float:
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(one.lower(), other.lower())
