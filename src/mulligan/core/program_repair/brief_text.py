"""A brief as text, for a model that drives its tools itself."""

from mulligan.core.program_repair.brief import Brief


def brief_text(brief: Brief) -> str:
    """What fails, the failing tests, the code they point to, and what cheap checks noticed. Empty if nothing fails."""
    parts: list[str] = []
    if brief.failures:
        parts.append("What fails:\n" + "\n".join(f"- {line}" for line in brief.failures))
    parts += [f"The failing test, {each.path}:{each.first}:\n```\n{each.text}\n```" for each in brief.tests]
    parts += [f"{each.path}:{each.first}:\n```\n{each.text}\n```" for each in brief.sources]
    if brief.hints:
        parts.append("Noticed by code, not certain:\n" + "\n".join(f"- {hint}" for hint in brief.hints))
    return "\n\n".join(parts)
