"""Whether a sed or awk program only prints. Parsed character by character in one pass, without backtracking."""

LONGEST_PROGRAM = 2_000
"""Characters. A longer program counts as one that may do anything."""

PLAIN_COMMANDS = frozenset("pPdDgGhHxnN=zF{}")
WITH_NUMBER = frozenset("qQlL")
LABELS = frozenset(":btT")
SUBSTITUTES = "gpiImM0123456789"
ENDS = frozenset(";\n}#")
LABEL_ENDS = ENDS | frozenset(" \t")
AWK_ACTS = ("system", "getline", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO", "@")


def sed_only_prints(program: str) -> bool:
    """Only the commands listed here are allowed; `w`, `e`, `r` and similar are not."""
    if len(program) > LONGEST_PROGRAM:
        return False
    try:
        _read_sed(program)
    except (IndexError, ValueError):
        return False
    return True


def awk_only_prints(program: str) -> bool:
    """What looks like a redirection or a pipe after the first `print` counts as one, even in a string."""
    if len(program) > LONGEST_PROGRAM or any(word in program for word in AWK_ACTS):
        return False
    printed = program.find("print")
    behind = program[printed:].replace("||", "").replace(">=", "") if printed >= 0 else ""
    return not {"|", ">"} & set(behind)


def _read_sed(text: str) -> None:
    """Raises if the program is not understood."""
    place = 0
    while True:
        place = _skip(text, place, " \t\n;")
        if place >= len(text):
            return
        place = _skip_addresses(text, place)
        command = text[place]
        place = _skip(text, _skip_rest(text, place + 1, command), " \t")
        if place < len(text) and text[place] not in ENDS and command not in "{}":
            raise ValueError(text[place])


def _skip_rest(text: str, place: int, command: str) -> int:
    """The place after a command's arguments."""
    if command in PLAIN_COMMANDS:
        return place
    if command == "#":
        end = text.find("\n", place)
        return end if end >= 0 else len(text)
    if command in WITH_NUMBER:
        return _skip(text, place, " \t0123456789")
    if command in LABELS:
        place = _skip(text, place, " \t")
        while place < len(text) and text[place] not in LABEL_ENDS:
            place += 1
        return place
    if command in "sy":
        place = _skip_section(text, _skip_section(text, place + 1, text[place]), text[place])
        return _skip(text, place, SUBSTITUTES) if command == "s" else place
    # Implementations of sed differ in where such a text ends: it must come last.
    if command in "aic" and "\n" not in text[place:].rstrip("\n"):
        return len(text)
    raise ValueError(command)


def _skip_addresses(text: str, place: int) -> int:
    place = _skip_address(text, place)
    place = _skip(text, place, " \t")
    if text[place] == ",":
        place = _skip_address(text, _skip(text, place + 1, " \t"))
    return _skip(text, place, " \t!")


def _skip_address(text: str, place: int) -> int:
    if text[place] in "/\\":
        mark = text[place] if text[place] == "/" else text[place + 1]
        place = _skip_section(text, place + (1 if mark == "/" and text[place] == "/" else 2), mark)
        return _skip(text, place, "IM")
    return _skip(text, place, "0123456789$~+")


def _skip_section(text: str, place: int, mark: str) -> int:
    """The place after the mark. Implementations of sed differ on a mark inside brackets, so it must not occur there."""
    if mark.isalnum() or mark in "\\\n ;":
        raise ValueError(mark)
    brackets = False
    while text[place] != mark:
        if text[place] == "\n":
            raise ValueError(mark)
        if text[place] == "\\":
            place += 2
            continue
        brackets = (brackets or text[place] == "[") and text[place] != "]"
        place += 1
    if brackets:
        raise ValueError(mark)
    return place + 1


def _skip(text: str, place: int, letters: str) -> int:
    while place < len(text) and text[place] in letters:
        place += 1
    return place
