"""The page of the sandbox's promises."""

from mulligan.core.sandbox.promises import PROMISES, Coverage
from mulligan.drill.gallery.sandbox import ESCAPES
from reference.markdown import code, link, table


def blocks() -> list[str]:
    rows = [
        (promise.says, *map(_words, (promise.bubblewrap, promise.landlock, promise.seatbelt))) for promise in PROMISES
    ]
    attacks = [
        (code(promise.name), ", ".join(code(each.name) for each in ESCAPES if each.promise == promise.name))
        for promise in PROMISES
    ]
    return [
        f"What a model's commands can't do. {link('The sandbox', '../sandbox.md')} explains how to give them access.",
        table(("promise", "bubblewrap", "Landlock", "Seatbelt (macOS)"), rows),
        "Seatbelt's rules are written, but nobody has tried them on a Mac.",
        "## Escapes",
        f"`mulligan drill --only sandbox` runs {len(ESCAPES)} escapes, each in every sandbox that promises to stop it.",
        table(("promise", "escapes that attack it"), attacks),
    ]


def _words(coverage: Coverage) -> str:
    return f"{coverage.level}: {coverage.note}" if coverage.note else coverage.level
