"""Short words for scripts and commands, so that a fault reads as what it is."""

from typing import Any, Literal

from mulligan.drill.fault import CommandStep
from mulligan.models.scripted.script import Script, ScriptedCall, ScriptedReply, ServerStyle

ANSWER = "It is in one.py."


def call(name: str, arguments: dict[str, Any] | str) -> ScriptedReply:
    """A reply that is one tool call. Arguments as text stand for what the model really wrote."""
    return ScriptedReply(tool_calls=(ScriptedCall(name=name, arguments=arguments),))


def view(path: str) -> ScriptedReply:
    return call("view_file", {"path": path})


def edit(path: str, old: str, new: str) -> ScriptedReply:
    return call("edit_file", {"path": path, "old": old, "new": new})


def command(line: str, **more: Any) -> ScriptedReply:
    return call("run_command", {"command": line, **more})


def together(*replies: ScriptedReply) -> ScriptedReply:
    """The calls of all of them, in one reply."""
    return ScriptedReply(tool_calls=tuple(each for reply in replies for each in reply.tool_calls))


def say(text: str = ANSWER) -> ScriptedReply:
    return ScriptedReply(text=text)


def script(
    *replies: ScriptedReply, then: Literal["repeat_last", "loop", "fail"] = "repeat_last", **server_style: Any
) -> Script:
    """The replies in order, the last one again and again."""
    return Script(replies=replies, then=then, server_style=ServerStyle(**server_style))


def for_ever(*replies: ScriptedReply) -> Script:
    return script(*replies, then="loop")


def ask(played: Script, *more: str) -> CommandStep:
    return CommandStep(("ask", "Where is it?", *more), played)


def code(played: Script, *more: str, goal: str = "See to it.") -> CommandStep:
    """The goal asks for no change of files in so many words, so that none is owed."""
    return CommandStep(("code", goal, *more), played)
