"""Agents are data."""

from mulligan.types.base import Record


class AgentSpec(Record):
    name: str
    description: str = ""
    prompt: str
    tools: tuple[str, ...] = ()
    """The tools it may call, by name."""
    steps: int | None = None
    """At most so many steps a turn; none means the general cap; 0 means one reply without tools."""
    model: str | None = None
    """Overrules the configured model."""
    source: str = "built in"
    """Where it was defined: `built in`, or the file."""
