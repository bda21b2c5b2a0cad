"""Whether the user's message asks for a change to files. If in doubt, no: then no change is expected."""

import re

from mulligan.runtime.late_pattern import late_pattern

_CHANGES = late_pattern(
    "add|adapt|append|apply|build|bump|change|clean|convert|correct|create|delete|disable|drop|edit|enable|extend|extract"
    "|fix|format|implement|improve|inline|insert|make|migrate|modify|move|optimi[sz]e|patch|port|put|refactor|remove"
    "|rename|repair|replace|rewrite|set|simplify|split|support|swap|turn|update|upgrade|use|wrap|write"
)
_POLITE = late_pattern(
    r"^(?:(?:please|now|then|so|and|ok|okay|hey|hi|also|just|next|first)\b[,:]?\s+"
    r"|(?:can|could|would|will)\s+you\s+(?:please\s+)?|(?:i\s+want\s+you\s+to|i'd\s+like\s+you\s+to|you\s+should)\s+)+"
)
_AND_THEN = late_pattern(r"\b(?:and|then)\s+([a-z]+)")


def asks_for_change(message: str) -> bool:
    """Whether the message asks for a change at its beginning, or later: `find the bug and fix it`."""
    first = message.strip().lower().partition("\n")[0][:400]
    imperative = _POLITE.sub("", first)
    if first.endswith("?") and imperative == first:
        return False
    word = re.match(r"[a-z]+", imperative)
    if word is None or word[0] in {"how", "why", "what", "where", "which", "who", "should", "is", "are", "does", "did"}:
        return False
    return any(_CHANGES.fullmatch(verb) for verb in (word[0], *_AND_THEN.findall(imperative)))
