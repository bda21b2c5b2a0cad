"""Whether a sed or awk program only prints. Parsed character by character in one pass, without backtracking."""

MAX_PROGRAM_CHARS = 2_000
"""A longer program counts as one that may do anything."""

PLAIN_COMMANDS = frozenset("pPdDgGhHxnN=zF{}")
WITH_NUMBER = frozenset("qQlL")
LABELS = frozenset(":btT")
SUBSTITUTES = "gpiImM0123456789"
ENDS = frozenset(";\n}#")
LABEL_ENDS = ENDS | frozenset(" \t")
AWK_ACTS = ("system", "getline", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO", "@")


def sed_only_prints(program: str) -> bool:
    """Only the commands listed here are allowed; `w`, `e`, `r` and similar are not."""
    if len(program) > MAX_PROGRAM_CHARS:
        return False
    try:
        _read_sed(program)
    except (IndexError, ValueError):
        return False
    return True


def awk_only_prints(program: str) -> bool:
    """What looks like a redirection or a pipe after the first `print` counts as one, even in a string."""
    if len(program) > MAX_PROGRAM_CHARS or any(word in program for word in AWK_ACTS):
        return False
    printed = program.find("print")
    behind = program[printed:].replace("||", "").replace(">=", "") if printed >= 0 else ""
    return not {"|", ">"} & set(behind)


def _read_sed(text: str) -> None:
    """Raises if the program is not understood."""
    index = 0
    while True:
        index = _skip(text, index, " \t\n;")
        if index >= len(text):
            return
        index = _skip_addresses(text, index)
        command = text[index]
        index = _skip(text, _skip_rest(text, index + 1, command), " \t")
        if index < len(text) and text[index] not in ENDS and command not in "{}":
            raise ValueError(text[index])


def _skip_rest(text: str, index: int, command: str) -> int:
    """The index after a command's arguments."""
    if command in PLAIN_COMMANDS:
        return index
    if command == "#":
        end = text.find("\n", index)
        return end if end >= 0 else len(text)
    if command in WITH_NUMBER:
        return _skip(text, index, " \t0123456789")
    if command in LABELS:
        index = _skip(text, index, " \t")
        while index < len(text) and text[index] not in LABEL_ENDS:
            index += 1
        return index
    if command in "sy":
        index = _skip_section(text, _skip_section(text, index + 1, text[index]), text[index])
        return _skip(text, index, SUBSTITUTES) if command == "s" else index
    # Implementations of sed differ in where such a text ends: it must come last.
    if command in "aic" and "\n" not in text[index:].rstrip("\n"):
        return len(text)
    raise ValueError(command)


def _skip_addresses(text: str, index: int) -> int:
    index = _skip_address(text, index)
    index = _skip(text, index, " \t")
    if text[index] == ",":
        index = _skip_address(text, _skip(text, index + 1, " \t"))
    return _skip(text, index, " \t!")


def _skip_address(text: str, index: int) -> int:
    if text[index] in "/\\":
        mark = text[index] if text[index] == "/" else text[index + 1]
        index = _skip_section(text, index + (1 if mark == "/" and text[index] == "/" else 2), mark)
        return _skip(text, index, "IM")
    return _skip(text, index, "0123456789$~+")


def _skip_section(text: str, index: int, mark: str) -> int:
    """The index after the mark. Implementations of sed differ on a mark inside brackets, so it must not occur there."""
    if mark.isalnum() or mark in "\\\n ;":
        raise ValueError(mark)
    brackets = False
    while text[index] != mark:
        if text[index] == "\n":
            raise ValueError(mark)
        if text[index] == "\\":
            index += 2
            continue
        brackets = (brackets or text[index] == "[") and text[index] != "]"
        index += 1
    if brackets:
        raise ValueError(mark)
    return index + 1


def _skip(text: str, index: int, letters: str) -> int:
    while index < len(text) and text[index] in letters:
        index += 1
    return index
