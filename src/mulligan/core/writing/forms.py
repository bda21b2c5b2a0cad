"""The form of a definition: a statement, a method, a field or a value, with the words that the file gives it."""

import re

from mulligan.syntax.definitions import CodeText, Definition


def in_form_of(old: CodeText, like: Definition, each: Definition, text: str) -> str:
    """In JavaScript a function may be a statement, a method or a value: what the model wrote takes the form that the
    file has."""
    if not {like.form, each.form} & _FORMS:
        return text
    was, value = old.of(like.inner), text
    if each.form == "method_definition":
        value = as_function(text)
    elif each.form == "pair":
        value = text.partition(":")[2].strip()
    elif "function" not in each.form:
        value = text.removeprefix(_assigned_to(text)).removesuffix(";")
    function = _FUNCTION.match(value)
    if like.form == "method_definition" and function:
        words = "".join(f"{word} " for word in _MODIFIER.findall(was[: was.index("(")]))
        return f"{words}{function[1]}{function[2]}{value[function.end() :]}"
    if like.form == each.form:
        return _with_modifiers(was, text) if like.form in _FIELDS else text
    if like.form in ("method_definition", "pair"):
        return f"{like.name} = {value}" if like.owner else f"{like.name}: {value}"
    if like.form in _FORMS:
        return f"{_assigned_to(was)}{value}{';' if was.endswith(';') else ''}"
    return f"const {like.name} = {value};" if each.form == "pair" else value


def _with_modifiers(was: str, text: str) -> str:
    """A field with the words and the type that the file gives it."""
    head, value = _assigned_to(text), text[len(_assigned_to(text)) :]
    if includes(head or text, _assigned_to(was) or was):
        return text
    return f"{_assigned_to(was) or f'{was} = '}{value}" if head else was


def includes(text: str, other: str) -> bool:
    """Whether the words and signs of the other text are in this one, in their order."""
    found = iter(_TOKEN.findall(text.replace("'", '"')))
    return all(token in found for token in _TOKEN.findall(other.replace("'", '"')))


def _assigned_to(text: str) -> str:
    """What is before the value of an assignment, with its sign."""
    found = _ASSIGNS.search(text)
    return text[: found.end()] if found else ""


def as_function(text: str) -> str:
    """A method as a function."""
    return _METHOD.sub(r"\1function\2 ", text, count=1)


_FIELDS = frozenset({"field_definition", "public_field_definition"})
_FORMS = _FIELDS | {"method_definition", "pair", "assignment_expression"}
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MODIFIER = re.compile(r"\b(?:static|public|private|protected|override|get|set)\b")
_METHOD = re.compile(rf"(?:{_MODIFIER.pattern}\s+)*(async\s+)?(\*?)\s*")
_FUNCTION = re.compile(r"(async\s+|)function\s*(\*?)\s*")
_ASSIGNS = re.compile(r"=(?!>)\s*")
