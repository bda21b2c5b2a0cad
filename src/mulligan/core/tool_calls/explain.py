"""Messages to the model about calls that can't be run."""

import json
from collections.abc import Sequence
from typing import Any

from mulligan.core.tool_calls.coerce import ArgumentProblem, Where, fit_arguments
from mulligan.core.tool_calls.parse import Unreadable
from mulligan.core.tool_calls.schema import describe, example, properties, required
from mulligan.types.tool_calls import ToolSpec

_SHOWN = 200
"""Characters of an offending value to show."""
_PROBLEMS = 5
"""Problems of one call to list: the rest will show when these are fixed."""


def cut_off(*, at_limit: bool) -> str:
    ended = "was cut off at the token limit" if at_limit else "was cut off before its end"
    return (
        f"Your reply {ended}, so nothing was run. Send the call again, shorter: fewer words before it, less text in it."
    )


def one_too_many(most: int) -> str:
    return (
        f"Only the first {most} calls of a reply are run, and this one came after them, so it was not run. "
        "Look at the results of the others first; then send it again if you still need it."
    )


def only_reads(name: str) -> str:
    return (
        f"This agent only reads: it can't use {name}, change files or run commands, and nothing was done. "
        "Answer with what you can find out, and say what should be changed, where and how."
    )


def not_found(name: str, nearest: Sequence[str], available: Sequence[str]) -> str:
    lines = [f"There is no tool named {_shorten(name)}, so nothing was run."]
    if nearest:
        lines.append(f"The nearest names: {', '.join(nearest)}.")
    lines.append(f"Available tools: {', '.join(sorted(available))}." if available else "No tools are available.")
    return "\n".join(lines)


def not_reached(name: str, nearest: Sequence[str]) -> str:
    near = f" The nearest names: {', '.join(nearest)}." if nearest else ""
    return f"There is no tool named {_shorten(name)}, so nothing was run.{near} find_tools lists what there is."


def unreadable(problem: Unreadable, spec: ToolSpec) -> str:
    lines = [f"The arguments of {spec.name} can't be read: {problem.reason}. Nothing was run."]
    if problem.cut_off:
        lines.append("The call was cut off, or a quote inside a string is not escaped.")
        lines.append("Send the call again, whole and shorter.")
        lines.append(f"What came through ends with: {_shorten_text(problem.text[-_SHOWN:])}")
        return "\n".join(lines)
    if problem.text:
        near = problem.text[max(0, problem.at - _SHOWN // 2) :]
        lines.append(f"What you sent, near that place: {_shorten_text(near)}")
    return "\n".join([*lines, *_how_to_call(spec)])


def misfit(problems: Sequence[ArgumentProblem], unknown: Sequence[str], spec: ToolSpec) -> str:
    lines = [f"The arguments of {spec.name} don't fit, so nothing was run."]
    lines += [f"- {_say(problem)}" for problem in problems[:_PROBLEMS]]
    if len(problems) > _PROBLEMS:
        lines.append(f"- and {len(problems) - _PROBLEMS} more like these")
    if unknown:
        lines.append(f"- {spec.name} has no argument named {_shorten_text(', '.join(unknown))}")
    return "\n".join([*lines, *_how_to_call(spec)])


def _say(problem: ArgumentProblem) -> str:
    got = "".join(f", got {_shorten(value)}" for value in problem.values)
    return f"{_shorten_text(_path(problem.where))} {problem.what}{got}"


def _how_to_call(spec: ToolSpec) -> list[str]:
    own, needed = properties(spec.parameters), required(spec.parameters)
    if not own:
        return [f"{spec.name} takes no arguments: send {{}}."]
    lines = [f"{spec.name} takes:"]
    for name, schema in own.items():
        wanted = describe(schema, spec.parameters)
        lines.append(
            f"- {name}: {wanted}, required" if name in needed else f"- {name}: {wanted.removesuffix(' or null')}"
        )
    model = {name: example(own.get(name), spec.parameters, name) for name in needed}
    fitted = fit_arguments(model, spec.parameters)
    if model and not fitted.problems and not fitted.repairs:
        lines.append(f"For example: {json.dumps(model, ensure_ascii=False)}")
    return lines


def _path(where: Where) -> str:
    """`edits[0].path`"""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where).removeprefix(".")


def _shorten(value: Any) -> str:
    return _shorten_text(json.dumps(value, ensure_ascii=False))


def _shorten_text(text: str) -> str:
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    # A lone surrogate could be neither stored nor sent.
    return short.encode(errors="replace").decode()
