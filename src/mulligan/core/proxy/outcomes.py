"""Whether another agent's tool succeeded, judged from the text that the agent gave to its model.

Few agents report it in a field, and hardly any gives an exit code. A failure has to be named at the beginning of the
first line or in the last one: a file about errors is not a failure.
"""

import re

from mulligan.types.tool_calls import Failed, FailureKind, Outcome, Succeeded

MAX_MESSAGE_CHARS = 2_000
"""A longer text without an exit code is a result."""

_KINDS: tuple[tuple[FailureKind, re.Pattern[str]], ...] = (
    (
        "tool_not_found",
        re.compile(
            r"(?:unknown|unavailable|no such|unrecognized) tool|tool [^\n]{0,80}(?:not (?:found|advertised|available)"
            r"|does(?:n't| not) exist)|there is no tool",
            re.IGNORECASE,
        ),
    ),
    (
        "schema_reject",
        re.compile(
            r"invalid (?:arguments?|input|parameters?)|arguments? [^\n]{0,60}(?:invalid|don't fit)|failed to parse arg"
            r"|schema ?(?:validation )?error|missing (?:field|key|required)|InputValidationError|JSON parsing failed",
            re.IGNORECASE,
        ),
    ),
    (
        "permission_denied",
        re.compile(
            r"permission denied|not (?:allowed|permitted)|user (?:rejected|denied|declined)|operation was rejected",
            re.IGNORECASE,
        ),
    ),
)
_SAYS_SO = re.compile(
    r"""\s*(?:<[\w-]{1,40}>\s*)? (?:
        (?:[\w.]{0,60}(?:error|exception)) \b (?! \s* = )
      | (?:fail(?:ed|ure)|fatal|unable\sto|could\s?n[o']t|can(?:not|'t)|invalid|unknown|no\ssuch|missing|traceback) \b
      | the\s(?:tool\scall\sreturned\sthe\sfollowing\serror|arguments\sprovided)
      | the\s\w{1,60}\stool\swas\scalled\swith\sinvalid
      | tool\s[^\n]{0,80}(?:not\sfound|failed)
      | [^\n]{0,300}?(?:\bnot\sfound\b|no\ssuch\sfile\sor\sdirectory|does\snot\sexist|permission\sdenied)
      | old_?string\b | no\smatch
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_EXIT_CODE = re.compile(
    r"""(?:exit(?:ed)?|return(?:ed)?|process|command) [^\n]{0,30}?
        (?:code|status) ["']?\s{0,3}[:=]?\s{0,3} (-?\d{1,5})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FAILED_FIELD = re.compile(r'\{[^{}]{0,200}"(?:success|ok)"\s*:\s*false|\{\s*"error"\s*:\s*["{]|"is_?error"\s*:\s*true')


def outcome_of(text: str, *, failed: bool | None, state: str | None = None) -> Outcome:
    """`failed` is what the agent reports; None if it reports nothing. A state goes with a success that changed
    something."""
    if failed is None:
        failed = _tells_failure(text)
    return Failed(_kind(text), text) if failed else Succeeded(text, state)


def _tells_failure(text: str) -> bool:
    stripped = text.strip()
    if not stripped:
        return False
    code = _exit_code(stripped)
    if code is not None:
        return code != 0
    if len(stripped) > MAX_MESSAGE_CHARS:
        return False
    return bool(_SAYS_SO.match(stripped) or _FAILED_FIELD.match(stripped))


def _exit_code(text: str) -> int | None:
    """In the first line or the last ones, where agents put it around a command's output."""
    for part in (text[-160:], text[:160]):
        found = _EXIT_CODE.findall(part)
        if found:
            return int(found[-1])
    return None


def _kind(text: str) -> FailureKind:
    head = text[:600]
    kinds: list[FailureKind] = [kind for kind, pattern in _KINDS if pattern.search(head)]
    return kinds[0] if kinds else "exec_error"
