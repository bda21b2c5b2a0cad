"""How model families write a tool call as text: one row per format, taken from chat templates and servers' parsers.

Patterns use VERBOSE and MULTILINE. Models may write anything, so no pattern may backtrack without limit: repetitions
are possessive or bounded.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from mulligan.types.frozen import frozen

Shape = Literal["object", "json", "relaxed", "elements"]
"""`object`: JSON with name and arguments. In the others the name comes first: `json`: an object of arguments.
`relaxed`: arguments in Python's or Gemma's notation. `elements`: an element per argument, its value as text."""

_NAME = r"""(?P<name>[A-Za-z_][\w.:/-]{0,79}+)"""
_QUOTED_NAME = r"""\s*+["']?+(?P<name>[^"'<>\n]{1,64}+)["']?+"""
_SPACE = r"\s{0,80}+"
_FUNCTION = rf"(?:\w{{1,40}}\s?=\s?)?+(?:print\()?+(?:default_api\.)?+{_NAME}\("
_DEEPSEEK = r"<[｜|]tool[▁_]call[▁_]begin[｜|]>"


@frozen
class CallFormat:
    family: str
    source: str
    """Where the format is documented: a chat template (by model), or a server's parser."""
    shape: Shape
    opening: str = ""
    """Announces calls, in any form."""
    start: str = ""
    """How the call begins, if that alone marks it as a call; otherwise an opening must come before it."""
    head: str = ""
    """Everything before the arguments, including the tool's `name`."""
    parameter: str = ""
    """For elements: what comes before a value, including its `key`."""
    parameter_end: str = ""
    """What comes after a value. Empty: the closing tag of the key."""
    closing: str = ""
    result: str = ""
    """How results are sent to the model. A model that writes this itself invents the result of its call."""
    known: bool = False
    """The name has to be that of an offered tool, since any word could be there."""


FORMATS = (
    CallFormat(
        "Hermes, Qwen 2.5 and 3, Granite 4, ERNIE, LongCat", "Qwen3 template; vLLM hermes, longcat", "object",
        opening=r"<(?:longcat_)?tool_calls?>", closing=r"</(?:longcat_)?tool_calls?>",
        result=r"<tool_(?:response|result|output)\b",
    ),
    CallFormat(
        "Phi 4 mini, Granite 3", "Phi-4-mini and Granite 3.0 templates; vLLM phi4mini, granite", "object",
        opening=r"<\|tool_calls?\|>|^functools(?=\[)", closing=r"<\|/tool_calls?\|>", result=r"<\|tool_response\|>",
    ),
    CallFormat(
        "Granite 20B, Jamba, OLMo 3", "vLLM granite_20b_fc, jamba, olmo3", "object",
        opening=r"<function_calls?>|<tool_use>", closing=r"</(?:function_calls?|tool_use)>",
        result=r"<function_results?\b",
    ),
    CallFormat(
        "Nemotron", "Llama-3.3-Nemotron-Super template", "object",
        opening=r"<TOOLCALL>", closing=r"</TOOLCALL>", result=r"<TOOL_RESPONSE>",
    ),
    CallFormat(
        "Command R", "Command R7B template; llama.cpp command-r7b", "object",
        opening=r"<\|START_ACTION\|>", closing=r"<\|END_ACTION\|>", result=r"<\|START_TOOL_RESULT\|>",
    ),
    CallFormat(
        "InternLM", "vLLM internlm2", "object",
        opening=r"<\|action_start\|>(?:\s?<\|plugin\|>)?", closing=r"<\|action_end\|>", result=r"<\|environment\|>",
    ),
    CallFormat(
        "Llama 3", "Llama 3.1 template; vLLM llama3_json", "object",
        opening=r"<\|python_tag\|>", closing=r"<\|eo[mt]_id\|>", result=r"<\|start_header_id\|>ipython",
    ),
    CallFormat(
        "Mistral before 2025", "Mistral 7B Instruct v0.3 template; vLLM mistral", "object",
        opening=r"\[TOOL_CALLS\]", closing=r"\[/TOOL_CALLS\]", result=r"\[TOOL_RESULTS\]",
    ),
    CallFormat(
        "Mistral since 2025", "Mistral Small 3.2 template; vLLM mistral", "json",
        opening=r"\[TOOL_CALLS\]", head=_NAME + r"\s?(?:\[CALL_ID\]\w{0,40}+)?\[ARGS\]",
    ),
    CallFormat(
        "gpt-oss", "OpenAI Harmony format; SGLang gpt-oss", "json",
        start=r"<\|(?:start|channel)\|>|commentary\ to=functions\.",
        head=rf"""(?:<\|start\|>assistant)?+ {_SPACE} (?:<\|channel\|>\s?\w{{1,20}}+|commentary)?+ {_SPACE}
            to=(?:functions\.)?{_NAME} {_SPACE} (?:<\|channel\|>\s?\w{{1,20}}+)?+ {_SPACE}
            (?:<\|constrain\|>)?+ {_SPACE} (?:json|code)?+ {_SPACE} (?:<\|message\|>|(?=\{{))""",
        closing=r"<\|(?:call|end)\|>", result=r"<\|start\|>functions\.",
    ),
    CallFormat(
        "DeepSeek V2, V3 and R1", "DeepSeek V3 template; vLLM deepseek_v3", "json",
        opening=r"<[｜|]tool[▁_]calls[▁_]begin[｜|]>", start=_DEEPSEEK,
        head=rf"{_DEEPSEEK}\s?function\s?<[｜|]tool[▁_]sep[｜|]>\s?{_NAME}{_SPACE}```(?:json)?",
        closing=r"(?:```\s*+)?<[｜|]tool[▁_]calls?[▁_]end[｜|]>", result=r"<[｜|]tool[▁_]outputs?[▁_]begin[｜|]>",
    ),
    CallFormat(
        "Step 3", "vLLM step3", "elements",
        start=_DEEPSEEK,
        head=rf"{_DEEPSEEK}\s?function\s?<[｜|]tool[▁_]sep[｜|]>\s?<steptml:invoke\s++name={_QUOTED_NAME}>",
        parameter=r"""<steptml:parameter\s++name=["']?+(?P<key>[^"'<>\n]{1,64}+)["']?+>""",
        parameter_end="</steptml:parameter>", closing="</steptml:invoke>",
    ),
    CallFormat(
        "DeepSeek V3.1", "DeepSeek V3.1 template; vLLM deepseek_v31", "json",
        start=_DEEPSEEK, head=rf"{_DEEPSEEK}\s?{_NAME}\s?<[｜|]tool[▁_]sep[｜|]>",
    ),
    CallFormat(
        "Kimi K2", "Kimi K2 tool_call_guidance; SGLang kimi_k2", "json",
        opening=r"<\|tool_calls_section_begin\|>", start=r"<\|tool_call_begin\|>",
        head=rf"<\|tool_call_begin\|>{_SPACE}{_NAME}{_SPACE}<\|tool_call_argument_begin\|>",
        closing=r"<\|(?:tool_call|tool_calls_section)_end\|>", result=r"\#\#\ Return\ of\ functions\.",
    ),
    CallFormat(
        "ReAct", "ReAct prompts; Qwen-Agent", "json", known=True,
        start=r"^[ \t]*+Action:(?=[ \t]*+[\w.]{1,64}+[ \t]*+\n)",
        head=rf"[ \t]*+Action:[ \t]*+{_NAME}[ \t]*+\n\s?Action\ Input:", result=r"^[ \t]*+Observation:",
    ),
    CallFormat(
        "GLM 4.5 and later, LongCat", "GLM 4.6 template; SGLang glm45, longcat", "elements",
        opening=r"<(?:longcat_)?tool_call>",
        head=_NAME + rf"{_SPACE}(?=<(?:longcat_)?arg_key>|</(?:longcat_)?tool_call>)",
        parameter=r"""<(?:longcat_)?arg_key>(?P<key>[^<>]{1,64}+)</(?:longcat_)?arg_key>\s*+
            <(?:longcat_)?arg_value>""",
        parameter_end=r"</(?:longcat_)?arg_value>", closing=r"</(?:longcat_)?tool_call>", result=r"<\|observation\|>",
    ),
    CallFormat(
        "Qwen3-Coder, Nemotron 3, Seed-OSS", "Qwen3-Coder and Seed-OSS templates; vLLM qwen3_coder", "elements",
        opening=r"<seed:tool_call>", start=r"<function=", head=rf"<function={_QUOTED_NAME}\s*+>",
        parameter=r"""<parameter=\s*+["']?+(?P<key>[^"'<>\n]{1,64}+)["']?+\s*+>""", parameter_end="</parameter>",
        closing=r"</function>|</seed:tool_call>",
    ),
    CallFormat(
        "Claude-style, MiniMax M2, DeepSeek V3.2 and V4", "MiniMax M2 template; SGLang deepseekv32", "elements",
        opening=r"<(?:\w{1,20}:|｜DSML｜)(?:tool_calls?|function_calls?)>", start=r"<(?:\w{1,20}:|｜DSML｜)?invoke\s",
        head=rf"<(?:\w{{1,20}}:|｜DSML｜)?invoke\s++name\s*+={_QUOTED_NAME}\s*+>",
        parameter=r"""<(?:\w{1,20}:|｜DSML｜)?parameter\s++name\s*+=\s*+["']?+(?P<key>[^"'<>\n]{1,64}+)["']?+[^<>\n]{0,40}+>""",
        parameter_end=r"</(?:\w{1,20}:|｜DSML｜)?parameter>",
        closing=r"</(?:\w{1,20}:|｜DSML｜)?(?:invoke|tool_calls?|function_calls?)>",
    ),
    CallFormat(
        "Cline, Roo Code", "Cline and Roo Code system prompts", "elements", known=True,
        start=r"^[ \t]*+<(?:{tools})>", head=r"[ \t]*+<(?P<name>{tools})>(?=\s*+</?\w)",
        parameter=r"<(?P<key>\w{1,64}+)>",
        closing=r"</(?:{tools})>",
    ),
    CallFormat(
        "LFM2", "LFM2 template; SGLang lfm2", "relaxed",
        opening=r"<\|tool_call_start\|>", head=_FUNCTION, closing=r"<\|tool_call_end\|>",
        result=r"<\|tool_response_start\|>",
    ),
    CallFormat(
        "Llama 4, pythonic", "Llama 4 template; vLLM llama4_pythonic, pythonic", "relaxed",
        opening=r"<\|python_start\|>", head=_FUNCTION, closing=r"<\|python_end\|>",
    ),
    CallFormat(
        "Gemma 3", "Gemma 3 function-calling guide: a `tool_code` fence", "relaxed",
        opening=r"<tool_code>", head=_FUNCTION, closing=r"</tool_code>",
        result=r"^[ \t]*+```tool_outputs?\b",
    ),
    CallFormat(
        "Gemma 4, FunctionGemma", "Gemma 4 template; SGLang gemma4", "relaxed",
        opening=r"<\|tool_call>|<start_function_call>", head=r"call:\s?" + _NAME + r"(?=\{)",
        closing=r"<tool_call\|>|<end_function_call>", result=r"<\|tool_response>|<start_function_response>",
    ),
    CallFormat(
        "a name and its arguments", "seen of small Qwen models", "json", known=True, head=_NAME + rf"{_SPACE}(?=\{{)"
    ),
)  # fmt: skip

BARE_JSON = r"""(?: (?:\[\s{0,80})? \{{1,2} \s{0,80} ["']?
    (?:name|tool|tool_name|tool_call_id|tool_calls?|function|function_call|type|id|index|arguments|parameters|args|input)
    ["']? \s{0,80} :)"""
"""An object, or a list of objects, whose first key is one that starts a call."""
FENCE = r"(?: `{3,}+ | ~{3,}+ )"
FLAGS = re.VERBOSE | re.MULTILINE

CLOSING = "|".join(f"(?:{each.closing})" for each in FORMATS if each.closing and "{tools}" not in each.closing)
RESULT = "|".join(f"(?:{each.result})" for each in FORMATS if each.result)


@frozen
class Grammar:
    """The table for the offered tools: some formats contain tool names in their markers."""

    opening: str
    start: str
    bare: str
    """Calls that only their shape identifies: JSON, or a known tool with arguments in parentheses."""
    heads: tuple[tuple[CallFormat, str], ...]


@lru_cache(maxsize=16)
def grammar_for(tools: tuple[str, ...]) -> Grammar:
    names = "|".join(re.escape(name) for name in sorted(tools, key=len, reverse=True)) or "(?!)"
    openings = dict.fromkeys(each.opening for each in FORMATS if each.opening)
    starts = dict.fromkeys(each.start.replace("{tools}", names) for each in FORMATS if each.start)
    heads = tuple((each, each.head.replace("{tools}", names)) for each in FORMATS if each.head)
    python = rf"""(?: (?:{names})\(\s{{0,80}}[A-Za-z_]\w{{0,63}}+\s?=
        | \[\s?(?:{names})\(\s{{0,80}}(?:[A-Za-z_]\w{{0,63}}+\s?=|\)) )"""
    return Grammar(f"(?:{'|'.join(openings)})", f"(?:{'|'.join(starts)})", f"(?:{BARE_JSON}|{python})", heads)


def beginnings(words: Sequence[str]) -> str:
    """A pattern for every prefix of these words, and the words themselves."""
    return "|".join("(?:".join(re.escape(character) for character in word) + ")?" * (len(word) - 1) for word in words)
