"""Secrets that are recognised by their form: tokens, PEM keys, passwords in URLs and headers.

A rule runs only on text that contains one of its needles, and every repetition that could scan a whole text and then
fail is bounded: crafted output must not take forever.
"""

import re
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass

from mulligan.core.secret_words import is_placeholder

Put = Callable[[str], str]
"""The replacement for a secret of this kind; each call counts one."""


@dataclass(frozen=True, slots=True)
class SecretPattern:
    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    """Its last group is the secret, the text before it stays; without a group the match is the secret."""


def _pattern(kind: str, needles: str, pattern: str) -> SecretPattern:
    return SecretPattern(kind, tuple(needles.split()), re.compile(pattern))


_AWS_ID = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")

SECRET_PATTERNS = (
    _pattern("GitHub token", "ghp_ gho_ ghr_ ghs_ ghu_ github_pat_", r"\b(?:gh[oprsu]|github_pat)_\w{16,}"),
    _pattern("GitLab token", "glpat- gldt- glrt- glptt-", r"\bgl(?:pat|dt|rt|ptt)-[\w-]{16,}"),
    _pattern("Slack token", "xox xapp-", r"\b(?:xox[abeoprs]|xapp)-(?=[\w-]{0,40}\d)[\w-]{10,}"),
    _pattern(
        "webhook", "hooks.slack.com/ /api/webhooks/", r"((?:hooks\.slack\.com/\w+|/api/webhooks/\d+)/)([\w/-]{20,})"
    ),
    _pattern("AWS key id", "AKIA ASIA", _AWS_ID.pattern),
    _pattern("Google key", "AIza ya29. GOCSPX-", r"\b(?:AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})"),
    _pattern(
        "API key",
        "sk- gsk_ xai- r8_",
        r"(?<![\w-])(?:sk-(?:proj|ant|svcacct|admin|or)-[\w-]{16,}|sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,}"
        r"|(?:gsk_|xai-|r8_)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{24,})",
    ),
    _pattern("Stripe key", "_live_ _test_ whsec_", r"\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    _pattern("npm token", "npm_", r"\bnpm_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{30,}"),
    _pattern("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    _pattern("PyPI token", "pypi-", r"\bpypi-(?=[\w-]{0,80}\d)\w[\w-]{29,}"),
    _pattern("Vault token", "hvs. hvb.", r"\bhv[sb]\.[\w-]{20,}"),
    _pattern("SendGrid key", "SG.", r"\bSG\.[\w-]{16,64}\.[\w-]{16,}"),
    _pattern("token", "dop_v1_ shpat_ dapi lin_api_ ntn_", r"\b(?:dop_v1_|shpat_|dapi|lin_api_|ntn_)[A-Za-z0-9]{32,}"),
    _pattern("age key", "AGE-SECRET-KEY-", r"\bAGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    _pattern("web token", "eyJ", r"(?<![\w.-])eyJ[\w-]{10,2000}+\.eyJ[\w-]{4,8000}+\.[\w-]{6,2000}+"),
    _pattern(
        "credentials",
        "asic earer oken",
        r"(?i)(\bAuthorization[\"']{0,1}\s{0,3}[:=,]\s{0,3}[\"'`]{0,1}(?:Basic|Bearer|Token)\s{1,3})"
        r"((?=[\w.~+/=-]{0,80}\d)[\w.~+/-]{12,4000}={0,2})",
    ),
    _pattern(
        "credentials", "earer ", r"(\b[Bb]earer {1,3})((?=[A-Za-z0-9._~+/-]{0,80}\d)[A-Za-z0-9._~+/-]{16,4000}={0,2})"
    ),
    _pattern("password", "://", r"(://[^/\s:@'\"`<>]{0,100}:)([^/\s'\"`<>]{1,200})(?=@(?!sha256:))"),
)

TAIL = 12
"""Characters at the end of a token that are all equal only in a placeholder."""
AWS_NEARBY = 300
"""Characters around a key id within which its secret is."""
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])(?![0-9a-f]{40}(?![A-Za-z0-9/+=]))[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")

_PEM = "PRIVATE KEY"
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ON_ONE_LINE = re.compile(rf"({_BEGIN.pattern})[A-Za-z0-9+/=\\ ]{{4,8000}}+(?={_END.pattern})")
_PEM_LINE = re.compile(
    r"""((?:(?:[^\s:|]{0,300}[:-]|\s{0,12})\d{1,7}[:|-]|[+>-])?[\s"'`]{0,40})   # of a search, a numbered file, a diff
        ([A-Za-z0-9+/=]{4,200}|)
        ((?:\\[nr])?["'`,;\s+\\]{0,12})$""",
    re.VERBOSE,
)
_CUT_OFF = re.compile(r"(?:\\[nr])*[A-Za-z0-9+/=]{8}[A-Za-z0-9+/=\\]*")
"""The beginning of a key on the same line."""
PEM_LENGTHS = frozenset({64, 70, 76})
_PEM_HEADER = re.compile(r"[^\n]{0,320}\b(?:Proc-Type|DEK-Info|Version|Comment): ")


def without_shapes(text: str, put: Put) -> str:
    """The text with `put`'s replacement for every secret recognised by its form."""
    if _PEM in text:
        text = _without_private_keys(text, put)
    if "AKIA" in text or "ASIA" in text:
        text = _without_aws_secrets(text, put)
    for shape in SECRET_PATTERNS:
        if any(needle in text for needle in shape.needles):
            text = shape.pattern.sub(lambda found, kind=shape.kind: _put(found, kind, put), text)
    return text


def _put(found: re.Match[str], kind: str, put: Put) -> str:
    before, secret = (found[1], found[2]) if found.lastindex else ("", found[0])
    user = before.removeprefix("://").removesuffix(":")
    # People write `postgres://postgres:postgres@` and `//user:password@` where any word will do, and `ghp_xxxx`.
    if is_placeholder(secret) or secret == user if kind == "password" else len(set(secret[-TAIL:])) == 1:
        return found[0]
    return before + put(kind)


def _without_aws_secrets(text: str, put: Put) -> str:
    ids = [found.start() for found in _AWS_ID.finditer(text)]

    def near(found: re.Match[str]) -> str:
        next_id = bisect(ids, found.start())
        neighbours = [abs(found.start() - each) <= AWS_NEARBY for each in ids[max(0, next_id - 1) : next_id + 1]]
        return put("AWS secret key") if any(neighbours) else found[0]

    return _AWS_SECRET.sub(near, text)


def _without_private_keys(text: str, put: Put) -> str:
    """Line by line, so that line numbers stay right, and so do the prefixes that a search adds."""
    lines = _ON_ONE_LINE.sub(lambda found: found[1] + put("private key"), text).split("\n")
    key = _Key(lines, put)
    for number, line in enumerate(lines):
        begin = max((found.end() for found in _BEGIN.finditer(line)), default=-1)
        end = max((found.start() for found in _END.finditer(line)), default=-1)
        if begin > end:
            key = _Key(lines, put, inside=True)
            if cut_off := _CUT_OFF.match(line, begin):
                lines[number] = line[:begin] + key.mark() + line[cut_off.end() :]
        elif end >= 0 > begin and not key.inside:
            _mask_above(lines, number, put)
        elif end >= 0 or (key.inside and not key.mask(number)):
            key = _Key(lines, put)
    return "\n".join(lines)


@dataclass(slots=True)
class _Key:
    """A key that is read line by line. It counts as one secret, once one of its lines is seen."""

    lines: list[str]
    put: Put
    inside: bool = False
    words: str = ""

    def mark(self) -> str:
        self.words = self.words or self.put("private key")
        return self.words

    def mask(self, number: int) -> bool:
        """Whether the line belongs to the key."""
        line = self.lines[number]
        found = _PEM_LINE.match(line)
        if found and found[2]:
            self.lines[number] = found[1] + self.mark() + found[3]
        return bool(found or _PEM_HEADER.match(line))


def _mask_above(lines: list[str], end: int, put: Put) -> None:
    """A key whose beginning is not shown: recognised by the length of its lines."""
    key = _Key(lines, put)
    for number in range(end - 1, -1, -1):
        found = _PEM_LINE.match(lines[number])
        if not found or not (found[2] if number == end - 1 else len(found[2]) in PEM_LENGTHS):
            return
        key.mask(number)
