"""Whether rewritten code is equivalent to the code before."""

from mulligan.syntax.definitions import code_tokens


def says_the_same(path: str, before: str, after: str) -> bool:
    """Ignores spaces between tokens, comments, docstrings, and quotes that mean the same.

    A name counts, also that of a variable: without knowing every use of it, a correction looks like another name.
    """
    old = code_tokens(path, before)
    return old is not None and old == code_tokens(path, after)
