"""The page of the drill's faults."""

from mulligan.drill.gallery import GALLERY
from reference.markdown import code, code_block, table


def blocks() -> list[str]:
    made = [
        f"`mulligan drill` runs {len(GALLERY)} faults against the real product, most with a scripted model.",
        "`--only` takes the name of a fault, or that of a group:",
        code_block(f"mulligan drill --only {GALLERY[0].name}\nmulligan drill --only {GALLERY[0].group}", "sh"),
    ]
    for group in dict.fromkeys(fault.group for fault in GALLERY):
        rows = [(code(fault.name), fault.title) for fault in GALLERY if fault.group == group]
        made += [f"## {group.capitalize()}", table(("fault", "what goes wrong"), rows)]
    return made
