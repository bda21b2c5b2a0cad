"""Short words for scripts and commands, so that a fault reads as what it is."""

from typing import Any, Literal

from mulligan.drill.fault import Run
from mulligan.models.scripted.script import Guise, Reply, Script, ScriptedCall

ANSWER = "It is in one.py."


def call(name: str, arguments: dict[str, Any] | str) -> Reply:
    """A reply that is one tool call. Arguments as text stand for what the model really wrote."""
    return Reply(tool_calls=(ScriptedCall(name=name, arguments=arguments),))


def view(path: str) -> Reply:
    return call("view_file", {"path": path})


def edit(path: str, old: str, new: str) -> Reply:
    return call("edit_file", {"path": path, "old": old, "new": new})


def command(line: str, **more: Any) -> Reply:
    return call("run_command", {"command": line, **more})


def together(*replies: Reply) -> Reply:
    """The calls of all of them, in one reply."""
    return Reply(tool_calls=tuple(each for reply in replies for each in reply.tool_calls))


def say(text: str = ANSWER) -> Reply:
    return Reply(text=text)


def script(*replies: Reply, then: Literal["repeat_last", "loop", "fail"] = "repeat_last", **guise: Any) -> Script:
    """The replies in order, the last one again and again."""
    return Script(replies=replies, then=then, guise=Guise(**guise))


def for_ever(*replies: Reply) -> Script:
    return script(*replies, then="loop")


def ask(played: Script, *more: str) -> Run:
    return Run(("ask", "Where is it?", *more), played)


def code(played: Script, *more: str) -> Run:
    return Run(("code", "Change it.", *more), played)
