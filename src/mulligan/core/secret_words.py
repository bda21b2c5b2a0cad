"""Values that a name marks as secret (`DB_PASSWORD=…`, `"api_key": "…"`, `<password>…`), and whether they are real.

Code is full of such names, and their values are mostly not secret: a variable, a call, a type, a placeholder. Only what
looks like a real value counts.
"""

import re
from collections.abc import Callable
from string import ascii_letters, digits

_KEY = r"""(?:api|access|account|admin|app|auth|client|consumer|encryption|jwt|license|master|private|secret|session
    |shared|signing|storage|subscription)[_-]?key"""
_NAMED = re.compile(rf"pass(?:word|wd|phrase)|pwd|{_KEY}|secret|token|credential", re.VERBOSE)
_ASSIGNED = re.compile(
    rf"""
    (?P<name>(?P<pass>pass(?:word|wd|phrase)|pwd)|{_KEY}|secret|token|credentials?)
    (?:[_-]?(?:base|prod|production|dev|test|staging|live|value|hash|[0-9]{{1,3}}))?(?![A-Za-z0-9_-])
    (?P<close>\\?["'`]?\]?)
    (?P<sep>\s{{0,8}}
        (?::\s{{0,4}}[A-Za-z][A-Za-z0-9_\[\]., |?]{{0,40}}?\s{{0,4}}=   # with a type
          |:=|=>|={{1,3}}|!={{1,2}}|:|value=|>|,)
        [ \t]{{0,8}}|[ ])
    (?P<quote>[bru]{{0,2}}(?:\\?"|'|`))?
    (?P<value>[^\s"'`]{{4,200}})
    """,
    re.VERBOSE | re.IGNORECASE,
)
MAX_NAME_CHARS = 60
NAME_LETTERS = f"{ascii_letters}{digits}_.-"
_DIGIT = re.compile(r"[0-9]")
_LINE_ENDS = re.compile(r"[ \t]{0,40}(?:[#\r\n]|\Z)")
MAX_VALUE_CHARS = 200
"""Characters of a value to check. A longer one is taken to its end."""
DECIDING_CHARS = 48
"""Characters of a value that show whether it is a reference."""
_REST = re.compile(r"[^\s\"'`]*")

_PLACEHOLDER = re.compile(
    r"""(.)\1*\Z|[<{]|\$[A-Za-z_({]|.*(?:x{4,}|\*{3}|\.{3}|…|\[masked|change.?me|placeholder|redacted|example|12345678|abcdef)
    |(?:.*[^a-z])?(?:your?|my|dummy|sample|fake|todo|insert|replace|foo|bar|foobar|none|null|undefined|here)(?:[^a-z].*)?\Z
    |(?:my|the|some|test|super|top|db|user|admin|root|no|not|old|new|bad|wrong|good|valid|invalid|correct|secret|hidden
       |default|p)?[-_ ]?(?:password|passwd|passw0rd|pass|pwd|secret|token|key|api[-_]?key|credentials?|guest|admin|root
       |postgres|mysql|user|username|test|testing|default|string|bytes)[-_ ]?[0-9]{0,4}\Z""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(
    r"\$[({]|\$[A-Za-z_]|\{\{|\{[\w.]*\}|%\(|%[sdr]\Z|<|[\w\]]\(|\w\[|://|[@&*!/~%.]|\.\./", re.ASCII
)
"""A reference to a value elsewhere, at the beginning of a value or anywhere in it."""
_ANYWHERE = re.compile(r"\$[({]|\{\{|\{[\w.]*\}|%\(|[\w\]]\(|<[\w-]+>|://", re.ASCII)
_CODE = re.compile(r"[(){}\[\]$<>|\\]")
_NAMES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z", re.ASCII)
_WORDS = re.compile(
    r"(?:[A-Za-z]+[0-9]?|[0-9]{1,8}|v[0-9]+)(?:[-_./:+,][A-Za-z]+[0-9]?|[-_./:+,][0-9]{1,8})*\Z", re.ASCII
)
_STRONG_SIGN = re.compile(r"[!@#$^&*+=~]")
_SAYS_SECRET = re.compile(r"passw|pwd|secret|token|key|credential", re.IGNORECASE)


def without_assigned(text: str, put: Callable[[str], str]) -> str:
    """The text with `put`'s replacement for every real value that a name marks as secret."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is longer than one letter
        lowered = "".join(each.lower() if each.isascii() else each for each in text)
    pieces: list[str] = []
    done = at = 0
    # A case-insensitive search takes ten times as long.
    while named := _NAMED.search(lowered, at):
        found = _ASSIGNED.match(text, named.start())
        # Text that is not a value may be the next name.
        at = found.start("value") if found else named.end()
        if found and (value := _secret_in(found)):
            pieces += [text[done:at], put("password" if found["pass"] else "secret")]
            at += len(value)
            if len(value) == MAX_VALUE_CHARS and (rest := _REST.match(text, at)):
                at = rest.end()
            done = at
    return "".join([*pieces, text[done:]]) if pieces else text


def is_placeholder(value: str) -> bool:
    """Whether a value is only a placeholder."""
    return _PLACEHOLDER.match(value[:DECIDING_CHARS]) is not None


def names_a_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret."""
    return _ASSIGNED.search(f"{name}=0000") is not None


def is_real(value: str) -> bool:
    """Whether a value is one that somebody would keep secret, regardless of its name."""
    return _fits(value, password=True, variable=False)


def _secret_in(found: re.Match[str]) -> str:
    """The value, if it is a real one; else empty."""
    text, sep = found.string, found["sep"].strip()
    before = text[max(0, found.start() - MAX_NAME_CHARS) : found.start()]
    first = before[len(before.rstrip(NAME_LETTERS)) :]
    start = found.start() - len(first)
    name = first + found["name"]
    variable = name == name.upper() and found["sep"] == "="
    if not (found["quote"] or variable or sep == ">" or _DIGIT.search(found["value"])):
        return ""
    value = _cut(found, text)
    if not value or not _may_assign(found, sep, first, text[start - 1 : start]):
        return ""
    password = found["pass"] is not None
    if found["quote"] or variable or sep == ">":
        return value if _fits(value, password=password, variable=variable) else ""
    last_on_line = _LINE_ENDS.match(text, found.start("value") + len(value)) is not None
    return value if _fits_bare(value, password=password and last_on_line) else ""


def _may_assign(found: re.Match[str], sep: str, first: str, left: str) -> bool:
    match sep:
        case ",":
            return bool(found["quote"] and found["close"].strip("]\\"))
        case ">":
            return left == "<" and found["sep"] == ">" and not _CODE.search(found["value"].partition("<")[0])
        case "":
            return first.startswith("--")
        case _:
            return True


def _cut(found: re.Match[str], text: str) -> str:
    """The value alone, without what ends it in code and markup. Empty if it is a sentence in quotes."""
    value = found["value"]
    if found["quote"]:
        value = value.removesuffix("\\")
        ends = len(value) == MAX_VALUE_CHARS or text[found.end() : found.end() + 1] in {"", '"', "'", "`"}
        return value if ends else ""
    if found["sep"].strip() == ">":
        return value.partition("<")[0]
    if found["sep"] != "=":
        value = re.split(r"[,;&)}\]]", value, maxsplit=1)[0] or value
    return value.rstrip(",;)}]")


def _fits(value: str, *, password: bool, variable: bool) -> bool:
    if len(value) < 6 or is_placeholder(value) or _REFERENCE.match(value) or _ANYWHERE.search(value):
        return False
    letters, numbers = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if variable and password:
        return letters or len(value) >= 8
    if _SAYS_SECRET.search(value) and not (numbers and value != value.lower()):
        return False
    if password:
        return letters and bool(numbers or _STRONG_SIGN.search(value)) and not _WORDS.match(value)
    if _WORDS.match(value):
        return False
    return letters and numbers and len(value) >= (8 if variable else 12)


def _fits_bare(value: str, *, password: bool) -> bool:
    """A value without quotes is usually a name in code."""
    if _CODE.search(value) or _NAMES.match(value) or not _fits(value, password=password, variable=False):
        return False
    return len(value) >= (8 if password else 16) and sum(map(str.isdigit, value)) >= (2 if password else 4)
