"""Short helpers for scripts and commands, which keep faults readable."""

from typing import Any, Literal

from mulligan.drill.fault import CommandStep
from mulligan.models.scripted.script import Script, ScriptedCall, ScriptedReply, ServerStyle

ANSWER = "It is in one.py."


def call(name: str, arguments: dict[str, Any] | str) -> ScriptedReply:
    """A reply with one tool call. Arguments given as text are exactly what the model wrote."""
    return ScriptedReply(tool_calls=(ScriptedCall(name=name, arguments=arguments),))


def view(path: str) -> ScriptedReply:
    return call("view_file", {"path": path})


def edit(path: str, old: str, new: str) -> ScriptedReply:
    return call("edit_file", {"path": path, "old": old, "new": new})


def command(line: str, **more: Any) -> ScriptedReply:
    return call("run_command", {"command": line, **more})


def together(*replies: ScriptedReply) -> ScriptedReply:
    """One reply with the calls of all these replies."""
    return ScriptedReply(tool_calls=tuple(each for reply in replies for each in reply.tool_calls))


def say(text: str = ANSWER) -> ScriptedReply:
    return ScriptedReply(text=text)


def script(
    *replies: ScriptedReply, then: Literal["repeat_last", "loop", "fail"] = "repeat_last", **server_style: Any
) -> Script:
    """The replies in order; by default, the last one is repeated."""
    return Script(replies=replies, then=then, server_style=ServerStyle(**server_style))


def for_ever(*replies: ScriptedReply) -> Script:
    return script(*replies, then="loop")


def ask(played: Script, *more: str) -> CommandStep:
    return CommandStep(("ask", "Where is it?", *more), played)


def code(played: Script, *more: str, goal: str = "See to it.") -> CommandStep:
    """The goal does not explicitly ask for a change of files, so the turn may end without one."""
    return CommandStep(("code", goal, *more), played)
