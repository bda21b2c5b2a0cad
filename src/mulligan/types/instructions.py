"""Instructions for models that stand in files: of the project, and the user's own."""

from mulligan.types.base import Record
from mulligan.types.frozen import frozen


@frozen
class InstructionFile:
    """A file of instructions, as it was read."""

    path: str
    """From the project; of the user's own, where it is."""
    text: str
    """Secrets in it are masked."""
    personal: bool = False
    """The user wrote it for all projects, so tools can't read it."""
    problem: str = ""
    """Why it could not be read, in words for the user."""


class SentInstructions(Record):
    """A file of instructions, and how much of it the model is given."""

    path: str
    tokens: int
    """That are sent, by their length."""
    of: int
    """That the file has."""
    problem: str = ""
    """Why nothing of it could be read."""
