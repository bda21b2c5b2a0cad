"""Calls as the chat templates of model families render them: what a server hands on that does not parse them."""

import json
from collections.abc import Callable
from typing import Any, cast

Call = tuple[str, dict[str, Any]]
GEMMA_QUOTE = '<|"|>'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(call: Call, key: str = "arguments") -> str:
    return _json({"name": call[0], key: call[1]})


def _text(value: Any) -> str:
    """As templates write values into elements: text as it is, all else as JSON."""
    return value if isinstance(value, str) else _json(value)


def _keywords(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())


def _python(call: Call) -> str:
    return f"{call[0]}({_keywords(call[1])})"


def _gemma(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return "[" + ",".join(_gemma(each, quote) for each in cast("list[Any]", value)) + "]"
    if isinstance(value, dict):
        own = cast("dict[str, Any]", value)
        return "{" + ",".join(f"{key}:{_gemma(each, quote)}" for key, each in own.items()) + "}"
    return _json(value)


def _each(form: Callable[[Call], str], between: str = "\n") -> Callable[[list[Call]], str]:
    return lambda calls: between.join(map(form, calls))


def _qwen_coder(call: Call) -> str:
    parameters = "".join(f"<parameter={key}>\n{_text(value)}\n</parameter>\n" for key, value in call[1].items())
    return f"<function={call[0]}>\n{parameters}</function>"


def _invoke(call: Call, mark: str = "", attributes: str = "") -> str:
    parameters = "".join(
        f'<{mark}parameter name="{key}"{attributes}>{_text(value)}</{mark}parameter>\n'
        for key, value in call[1].items()
    )
    return f'<{mark}invoke name="{call[0]}">\n{parameters}</{mark}invoke>'


def _glm(call: Call, mark: str = "") -> str:
    pairs = "".join(
        f"<{mark}arg_key>{key}</{mark}arg_key>\n<{mark}arg_value>{_text(value)}</{mark}arg_value>\n"
        for key, value in call[1].items()
    )
    return f"<{mark}tool_call>{call[0]}\n{pairs}</{mark}tool_call>"


def _cline(call: Call) -> str:
    return f"<{call[0]}>\n" + "".join(f"<{k}>{_text(v)}</{k}>\n" for k, v in call[1].items()) + f"</{call[0]}>"


def _deepseek_v3(call: Call) -> str:
    return f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call[0]}\n```json\n{_json(call[1])}\n```<｜tool▁call▁end｜>"


def _harmony(call: Call) -> str:
    return f"<|channel|>commentary to=functions.{call[0]} <|constrain|>json<|message|>{_json(call[1])}<|call|>"


FAMILIES: dict[str, Callable[[list[Call]], str]] = {
    "hermes": _each(lambda call: f"<tool_call>\n{_object(call)}\n</tool_call>"),
    "qwen coder": _each(lambda call: f"<tool_call>\n{_qwen_coder(call)}\n</tool_call>"),
    "qwen coder, opening forgotten": _each(lambda call: f"{_qwen_coder(call)}\n</tool_call>"),
    "seed": _each(lambda call: f"<seed:tool_call>\n{_qwen_coder(call)}\n</seed:tool_call>"),
    "llama 3": _each(lambda call: f"<|python_tag|>{_object(call, 'parameters')}<|eom_id|>"),
    "llama 3, semicolons": lambda calls: "<|python_tag|>" + "; ".join(_object(call, "parameters") for call in calls),
    "llama 3, built in": _each(lambda call: f"<|python_tag|>{call[0]}.call({_keywords(call[1])})"),
    "llama 4": lambda calls: f"<|python_start|>[{', '.join(map(_python, calls))}]<|python_end|>",
    "pythonic": lambda calls: f"[{', '.join(map(_python, calls))}]",
    "mistral old": lambda calls: f"[TOOL_CALLS] [{', '.join(map(_object, calls))}]",
    "mistral new": _each(lambda call: f"[TOOL_CALLS]{call[0]}[ARGS]{_json(call[1])}", ""),
    "mistral small 3.2": _each(lambda call: f"[TOOL_CALLS]{call[0]}[CALL_ID]a1b2C3d4e[ARGS]{_json(call[1])}", ""),
    "harmony": _each(_harmony, "<|start|>assistant"),
    "harmony, recipient first": _each(
        lambda call: f"<|start|>assistant to=functions.{call[0]}<|channel|>commentary json<|message|>{_json(call[1])}",
        "",
    ),
    "harmony, marks taken off": _each(lambda call: f"commentary to=functions.{call[0]} json{_json(call[1])}"),
    "deepseek v3": lambda calls: f"<｜tool▁calls▁begin｜>{_each(_deepseek_v3)(calls)}<｜tool▁calls▁end｜>",
    "deepseek v3.1": lambda calls: (
        "<｜tool▁calls▁begin｜>"
        + "".join(
            f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{_json(given)}<｜tool▁call▁end｜>" for name, given in calls
        )
        + "<｜tool▁calls▁end｜>"
    ),
    "deepseek v3.2": lambda calls: (
        "<｜DSML｜function_calls>\n"
        + "\n".join(_invoke(call, "｜DSML｜", ' string="true"') for call in calls)
        + "\n</｜DSML｜function_calls>"
    ),
    "step 3": lambda calls: (
        "<｜tool_calls_begin｜>"
        + "".join(
            f"<｜tool_call_begin｜>function<｜tool_sep｜>{_invoke(call, 'steptml:')}<｜tool_call_end｜>"
            for call in calls
        )
        + "<｜tool_calls_end｜>"
    ),
    "kimi": lambda calls: (
        "<|tool_calls_section_begin|>"
        + "".join(
            f"<|tool_call_begin|>functions.{name}:{place}<|tool_call_argument_begin|>{_json(given)}<|tool_call_end|>"
            for place, (name, given) in enumerate(calls)
        )
        + "<|tool_calls_section_end|>"
    ),
    "glm": _each(_glm),
    "longcat": _each(lambda call: f"<longcat_tool_call>\n{_object(call)}\n</longcat_tool_call>"),
    "longcat, elements": _each(lambda call: _glm(call, "longcat_")),
    "olmo 3": lambda calls: f"<function_calls>{_each(_python)(calls)}</function_calls>",
    "gemma 3": lambda calls: f"```tool_code\n{_each(lambda call: f'print({_python(call)})')(calls)}\n```",
    "gemma 3, api": lambda calls: f"```tool_code\n{_each(lambda call: f'default_api.{_python(call)}')(calls)}\n```",
    "gemma 4": _each(lambda call: f"<|tool_call>call:{call[0]}{_gemma(call[1], GEMMA_QUOTE)}<tool_call|>", ""),
    "functiongemma": _each(
        lambda call: f"<start_function_call>call:{call[0]}{_gemma(call[1], '<escape>')}<end_function_call>", ""
    ),
    "phi 4 mini": lambda calls: f"<|tool_call|>[{', '.join(map(_object, calls))}]<|/tool_call|>",
    "phi 4 mini, functools": lambda calls: f"functools[{', '.join(map(_object, calls))}]",
    "granite 3": lambda calls: f"<|tool_call|>[{', '.join(map(_object, calls))}]",
    "granite 20b": _each(lambda call: f"<function_call> {_object(call)}"),
    "lfm2": lambda calls: f"<|tool_call_start|>[{', '.join(map(_python, calls))}]<|tool_call_end|>",
    "claude": lambda calls: f"<function_calls>\n{_each(_invoke)(calls)}\n</function_calls>",
    "minimax": lambda calls: f"<minimax:tool_call>\n{_each(_invoke)(calls)}\n</minimax:tool_call>",
    "cline": _each(_cline),
    "react": _each(lambda call: f"Thought: I look.\nAction: {call[0]}\nAction Input: {_json(call[1])}"),
    "bare json": _each(_object),
    "fenced json": _each(lambda call: f"```json\n{_object(call)}\n```"),
    "nemotron": lambda calls: f"<TOOLCALL>[{', '.join(map(_object, calls))}]</TOOLCALL>",
    "command r": lambda calls: (
        "<|START_ACTION|>"
        + _json(
            [{"tool_call_id": str(n), "tool_name": name, "parameters": given} for n, (name, given) in enumerate(calls)]
        )
        + "<|END_ACTION|>"
    ),
    "internlm": _each(lambda call: f"<|action_start|><|plugin|>\n{_object(call, 'parameters')}<|action_end|>"),
}
"""Each renders the calls of one reply."""

CASES: dict[str, list[Call]] = {
    "one": [("view_file", {"path": "src/app.py"})],
    "typed": [("view_file", {"path": "a.py", "start_line": 3, "end_line": 20})],
    "nothing given": [("list_dir", {})],
    "two": [("grep", {"pattern": "def main", "ignore_case": True}), ("list_dir", {"path": "src"})],
    "brackets and quotes": [("grep", {"pattern": "f\\(['\"]x['\"], {}\\)[0] = <b>", "glob": "*.py"})],
    "several lines": [
        ("ask_user", {"question": 'First line.\nIt\'s the second:\n\n  - "third"', "options": ["a", "b, c"]})
    ],
}
