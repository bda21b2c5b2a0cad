"""Apply the patterns of some modules to hard texts, and print those that take too long: `try_patterns MODULE…`, or
`try_patterns more MODULE…`."""

import sys
from collections import deque
from typing import Any

from tests.hostile_text.measuring import LARGER, SIZE, grows_too_fast
from tests.hostile_text.patterns import Applied, patterns
from tests.hostile_text.pumping import hard_texts

BOUNDS = {
    "mulligan.syntax.blanking": 400,
    "mulligan.syntax.file_types": 200,
    "mulligan.syntax.functions": 400,
    "mulligan.syntax.line_tokens": 400,
    "mulligan.syntax.statements": 400,
    "mulligan.syntax.failing_tests": 400,
    "mulligan.core.diffs.commit_message": 500,
    "mulligan.core.diffs.review": 2_000,
    "mulligan.core.edits.elision": 120,
    "mulligan.core.failures.summaries": 400,
    "mulligan.core.failures": 1_000,
    "mulligan.core.fault_localisation": 400,
    "mulligan.core.guided_coder": 400,
    "mulligan.core.project_commands.javascript": 2_000,
    "mulligan.core.provenance": 5_000,
    "mulligan.core.program_repair": 400,
    "mulligan.workspace.commands": 1_000,
    "mulligan.core.globs": 1_000,
}
"""Characters that reach the patterns of these modules: what is longer is cut before, or refused."""

LEFT_OUT = frozenset(
    {
        "mulligan.core.command_policy.places",
        "mulligan.core.command_policy.text_tools",
        "mulligan.core.text_calls.json_calls",
        "mulligan.core.text_calls.call_readers",
        "mulligan.core.tool_calls.guess",
        "mulligan.core.tool_calls.almost_json",
        "mulligan.models.wire.server_errors",
        "mulligan.models.protocols.held_text",
        "mulligan.models.known.metadata",
    }
)
"""What a model or its server wrote, in a reply that ends some time: some of their patterns are slow on a long one."""


def main() -> None:
    more = sys.argv[1] == "more"
    for under in sys.argv[1 + more :]:
        for applied in patterns(under):
            if applied.module not in LEFT_OUT and (slow := _slow(applied, LARGER if more else SIZE)):
                where = f"{applied.module}:{applied.line} {applied.method}"
                sys.stdout.write(f"{where} {applied.pattern.pattern!r} on {slow[:60]!r}…\n")
                sys.stdout.flush()


def _slow(applied: Applied, size: int) -> str:
    size = next((bound for under, bound in BOUNDS.items() if applied.module.startswith(under)), size)
    for text in hard_texts(applied.pattern):
        if grows_too_fast(lambda wanted, text=text: _applied(applied, text(wanted)), size):
            return text(size)
    return ""


def _applied(applied: Applied, text: str) -> Any:
    given = text.encode() if isinstance(applied.pattern.pattern, bytes) else text
    if applied.method in {"match", "search", "fullmatch"}:
        return lambda: getattr(applied.pattern, applied.method)(given)
    return lambda: deque(applied.pattern.finditer(given), maxlen=0)


if __name__ == "__main__":
    main()
