"""How a call in a text begins: pieces of patterns, to be compiled with VERBOSE and MULTILINE.

Models write whatever they like, so no pattern may try one text in many ways: what repeats is possessive or bounded.
"""

OPENER = r"(?: <\|?(?:tool_calls?|function_calls?|tool_use)\|?> | \[TOOL_CALLS\] | <\|python_tag\|> )"
"""Announces calls, in whatever form they follow."""

ELEMENT = r"(?: <function= | <(?:\w{1,20}:)?invoke\s )"
"""Is the call itself, with its name inside."""

JSON = r"""(?: (?:\[\s{0,80})? \{{1,2} \s{0,80} ["']?
    (?:name|tool|tool_name|tool_calls?|function|function_call|type|id|index|arguments|parameters|args|input)
    ["']? \s{0,80} :)"""
"""An object, or a list of them, whose first key is one that a call may begin with."""

FENCE = r"(?: `{3,}+ | ~{3,}+ )"
