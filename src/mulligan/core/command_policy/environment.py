"""Environment variables that change what programs do."""

import re

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.options import PLAIN
from mulligan.core.command_policy.parts import Assignment
from mulligan.core.command_policy.variable_tables import is_harmless, is_risky
from mulligan.core.command_policy.words import Word

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
CHANGES = ask("changes which programs run, or what they do")
BY_NAME = ask("sets a variable whose name the shell may run")


def judge_assignment(assignment: Assignment) -> PolicyFinding | None:
    """The finding about setting a variable; None if it is harmless."""
    name, value = assignment.name, assignment.value
    if name == "IFS" and assignment.program == "read" and not value.computed:
        return None
    if is_risky(name):
        return CHANGES
    return CHANGES if assignment.program is not None and not _is_harmless(name, value) else None


def judge_declaration(call: Call) -> PolicyFinding:
    """`export`, `declare` and `set` print all variables if they have nothing to set."""
    if not call.words or "-p" in call.flags or (call.name != "set" and not call.operands):
        return deny("prints the environment, which may hold secrets.", "read")
    if call.name == "set":
        return of_kind("read")
    return _judge_names(call.operands)


def judge_read(call: Call) -> PolicyFinding:
    return _judge_names(call.operands)


def sets_harmlessly(text: str) -> bool:
    """Whether the argument `NAME=value` affects no other program."""
    name, _, value = text.partition("=")
    return not is_risky(name) and _is_harmless(name, Word(value))


def _judge_names(words: list[Word]) -> PolicyFinding:
    for word in words:
        name, equals, value = word.text.partition("=")
        if word.computed or not NAME.fullmatch(name):
            return BY_NAME
        if is_risky(name) or (equals and value and not _is_harmless(name, Word(value))):
            return CHANGES
    return of_kind("read")


def _is_harmless(name: str, value: Word) -> bool:
    """Whether a variable in a program's environment is harmless: a known one with any text, another with plain text."""
    if value.computed:
        return False
    if name == "PYTHONPATH":
        return not any(piece.startswith(("/", "~")) or ".." in piece for piece in value.text.split(":"))
    if is_harmless(name):
        return True
    return set(value.text) <= PLAIN and not value.text.startswith("-")
