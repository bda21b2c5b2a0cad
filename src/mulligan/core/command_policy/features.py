"""What a shell understands beyond simple commands: only what is known here is let through without a question."""

import re
from typing import TYPE_CHECKING

from mulligan.core.command_policy.variable_tables import is_risky

if TYPE_CHECKING:
    from tree_sitter import Node

UNDERSTOOD = frozenset(
    """ansi_c_string arithmetic_expansion array binary_expression brace_expression c_style_for_statement case_item
    case_statement command command_name command_substitution comment compound_statement concatenation
    declaration_command do_group elif_clause else_clause expansion file_descriptor file_redirect for_statement
    function_definition heredoc_body heredoc_content heredoc_end heredoc_redirect heredoc_start herestring_redirect
    if_statement list negated_command number parenthesized_expression pipeline postfix_expression
    process_substitution program raw_string redirected_statement regex simple_expansion special_variable_name string
    string_content subscript subshell test_command test_operator translated_string unary_expression unset_command
    variable_assignment variable_name while_statement word extglob_pattern""".split()
)
"""Kinds of nodes. Whatever else the grammar may learn is asked about."""

EXPANDS = frozenset(
    ["${", "}", "#", "##", "%", "%%", "/", "//", "/#", "/%", "-", ":-", "+", ":+", ":", "^", "^^", ",", ",,", "?", ":?"]
)
"""What may stand in `${…}`. Not `!` and `@`, which read or run what stands in the variable, and not `=`."""

MATHS = frozenset(
    """binary_expression unary_expression postfix_expression parenthesized_expression number variable_name word
    simple_expansion expansion special_variable_name arithmetic_expansion variable_assignment test_operator""".split()
)
"""What may stand in arithmetic, which runs commands that hide in the text of a subscript."""
COMPARES_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
TESTS = COMPARES_NUMBERS | frozenset("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -L -N -O -S -G".split())
TESTS |= frozenset({"-nt", "-ot", "-ef"})
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

SUBSCRIPT = "The shell runs what stands in a subscript or in arithmetic: write plain numbers and names there."


def doubt_about(node: "Node", above: "Node | None", text: str, *, in_maths: bool) -> str | None:
    """Why this may not be what it seems, as a sentence."""
    kind, outer = node.type, above.type if above else ""
    if node.is_error or node.is_missing:
        return "It is not sound shell syntax, so what it would do can't be told."
    if node.is_named and kind not in UNDERSTOOD:
        return f"It uses what is not known here ({kind.replace('_', ' ')})."
    if in_maths and node.is_named and kind not in MATHS:
        return SUBSCRIPT
    match kind:
        case "command_substitution" if text.startswith("`") and "\\" in text:
            return "Escapes inside backticks hide what is run; use $(…)."
        case "unset_command" if not _unsets_plainly(text):
            return "What it takes away changes what commands mean, or can't be told."
        case "$" if outer in ("command", "concatenation"):
            return "A lone $ before quotes hides what is run."
        case "expansion" if not _expands_plainly(node):
            return "It reads or runs what stands in a variable, by ${!…}, ${…@…} or the like."
        case "subscript" if not _counts_plainly(text):
            return SUBSCRIPT
        case "test_operator" if text not in TESTS:
            return f"The test {text} runs what stands in a subscript, or is not known."
        case "test_operator" if text in COMPARES_NUMBERS and above and not _compares_plainly(above):
            return SUBSCRIPT
        case "array" if "[" in text and "=" in text:
            return SUBSCRIPT
        case _:
            return None


def is_maths(above: "Node", node: "Node", text: str) -> bool:
    """Whether a node is arithmetic, by what it stands in and how that begins."""
    if above.type == "c_style_for_statement":
        return node.is_named and node.type not in ("do_group", "compound_statement")
    return above.type == "arithmetic_expansion" or (above.type == "compound_statement" and text == "((")


def _expands_plainly(node: "Node") -> bool:
    marks = [child.type for child in node.children if not child.is_named]
    if any(mark not in EXPANDS for mark in marks):
        return False
    numbers = {"number", "variable_name", "subscript"}
    return ":" not in marks or all(child.type in numbers for child in node.named_children)


def _counts_plainly(text: str) -> bool:
    index = text.partition("[")[2].removesuffix("]")
    return index in ("@", "*") or index.isdigit()


def _compares_plainly(node: "Node") -> bool:
    plain = {"number", "simple_expansion", "expansion", "arithmetic_expansion", "test_operator"}
    for child in node.named_children:
        contents = {each.type for each in child.named_children}
        if child.type not in plain and not (child.type == "string" and contents <= plain):
            return False
    return True


def _unsets_plainly(text: str) -> bool:
    names = text.split()[1:]
    return all(NAME.fullmatch(name) and not is_risky(name) for name in names if name != "-v")
