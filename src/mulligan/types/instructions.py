"""Files with instructions for models: the project's and the user's own."""

from mulligan.types.base import Record
from mulligan.types.frozen import frozen


@frozen
class InstructionFile:
    """An instruction file that was read."""

    path: str
    """Relative to the project; for the user's own files, their location."""
    text: str
    """Its text, with secrets masked."""
    personal: bool = False
    """Whether it is the user's own, for all projects; then tools can't read it."""
    problem: str = ""
    """Why it could not be read, for the user."""


class SentInstructions(Record):
    """An instruction file, and how much of it the model receives."""

    path: str
    tokens: int
    """Tokens that are sent, estimated from their length."""
    of: int
    """Tokens of the whole file."""
    problem: str = ""
    """Why it could not be read."""
