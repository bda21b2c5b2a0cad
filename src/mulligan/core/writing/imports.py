"""The imports of written code that a file lacks, and those that it no longer needs."""

import re
from collections.abc import Iterator

from mulligan.syntax.blanking import blank_literals
from mulligan.syntax.definitions import CodeText, Replacement, Span, cut_code
from mulligan.syntax.import_statements import imported_names, joined_names, without_names
from mulligan.syntax.registry import language_of


def added_imports(path: str, old: CodeText, new: CodeText) -> Iterator[Replacement]:
    """Imports that the file lacks: with those of the same module, or after the existing ones."""
    more: list[str] = []
    texts = {span: old.of(span) for span in old.imports}
    for rest in (rest for _, rest in needed_imports(path, old, new) if rest):
        joins = ((span, joined_names(path, text, rest)) for span, text in texts.items())
        joined = next(((span, text) for span, text in joins if text), None)
        if joined:
            texts |= [joined]
        else:
            more.append(rest)
    yield from ((*span, text) for span, text in texts.items() if text != old.of(span))
    if not more:
        return
    end = old.imports[-1][1] if old.imports else old.head[1]
    before = "\n" if end else ""
    gap = "\n\n" if end and not old.imports else before
    yield end, end, gap + "\n".join(more) + ("" if end else "\n\n\n")


def needed_imports(path: str, old: CodeText, new: CodeText) -> Iterator[tuple[Span, str]]:
    """Each import statement of the new text with what of it the file lacks. Most languages refuse a name twice."""
    statements = {plain_text(old.of(span)) for span in old.imports}
    known = {name for span in old.imports for name in imported_names(path, old.of(span))}
    known |= {each.name for each in old.definitions if not each.owner}
    for span in new.imports:
        text = new.of(span)
        own = plain_text(text) in statements or _imports_itself(path, text)
        yield span, "" if own else without_names(path, text, known)
        known |= imported_names(path, text)


def _imports_itself(path: str, text: str) -> bool:
    """A model that has seen how tests import a file writes that import into the file too."""
    module = re.escape(path.rpartition("/")[2].partition(".")[0])
    return path.endswith(".py") and bool(
        re.match(rf"(?:from\s+(?:\w+\.)*{module}\s+import\b|import\s+{module}\s*$)", text)
    )


def without_unused(path: str, old: CodeText, after: str) -> str:
    """Without imports that are no longer used, or never were, where these are errors."""
    language, cut = language_of(path), cut_code(path, after.split("\n"))
    if cut is None or language is None or not language.uses_all_imports:
        return after
    before = {name for span in old.imports for name in imported_names(path, old.of(span))}
    used, was_used = (_used_names(path, text) for text in (after, old.text.decode("utf-8", "replace")))
    edits: list[Replacement] = []
    for start, end in cut.imports:
        text = cut.of((start, end))
        # A name with other signs, or `v2`, is not what the package is called.
        names = {each for each in imported_names(path, text) if re.fullmatch(r"(?!v\d+$|_$)\w+", each)}
        rest = without_names(path, text, {each for each in names - used if each not in before - was_used})
        if rest != text:
            edits.append((start if rest else len(cut.text[:start].rstrip()), end, rest))
    return cut.edited(edits)


def _used_names(path: str, text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])(\w+)(?=\.)", blank_literals(path, text)))


def plain_text(text: str) -> str:
    return re.sub(r"[\s;]+", " ", text.replace("'", '"')).strip()
