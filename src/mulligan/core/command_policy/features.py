"""Shell features beyond simple commands: only those listed here pass without a question."""

import re
from typing import TYPE_CHECKING

from mulligan.core.command_policy.tables import names
from mulligan.core.command_policy.variable_tables import is_risky
from mulligan.core.command_policy.words import NUMBERS

if TYPE_CHECKING:
    from tree_sitter import Node

UNDERSTOOD = names(
    """ansi_c_string arithmetic_expansion array binary_expression brace_expression c_style_for_statement case_item
    case_statement command command_name command_substitution comment compound_statement concatenation
    declaration_command do_group elif_clause else_clause expansion file_descriptor file_redirect for_statement
    function_definition heredoc_body heredoc_content heredoc_end heredoc_redirect heredoc_start herestring_redirect
    if_statement list negated_command number parenthesized_expression pipeline postfix_expression
    process_substitution program raw_string redirected_statement regex simple_expansion special_variable_name string
    string_content subscript subshell test_command test_operator translated_string unary_expression unset_command
    variable_assignment variable_name while_statement word extglob_pattern"""
)
"""Node types. Any other, including ones that the grammar adds later, is asked about."""

EXPANDS = frozenset(
    ["${", "}", "#", "##", "%", "%%", "/", "//", "/#", "/%", "-", ":-", "+", ":+", ":", "^", "^^", ",", ",,", "?", ":?"]
)
"""Operators allowed in `${…}`. Not `!` and `@`, which read or run the variable's content, and not `=`."""

MATHS = names(
    """binary_expression unary_expression postfix_expression parenthesized_expression number variable_name word
    simple_expansion expansion special_variable_name arithmetic_expansion variable_assignment test_operator"""
)
"""Node types allowed in arithmetic, where a subscript's text can run commands."""
COMPARES_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
TESTS = COMPARES_NUMBERS | names("-nt -ot -ef -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -L -N -O -S -G")
HOLDS_WORDS = names(
    """command declaration_command file_redirect herestring_redirect variable_assignment for_statement array
    redirected_statement"""
)
NO_WORDS = names("heredoc_body heredoc_content heredoc_end do_group comment")
ENDS_WORD = b" \t\n|&;()<>`"
ESCAPED = re.compile(rb"\\.", re.DOTALL)
PIECED = frozenset({"concatenation", "command_name"})
SPLITS = frozenset({"test_command", "unary_expression", "binary_expression", "concatenation"})
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

SUBSCRIPT = "The shell runs code in a subscript or in arithmetic: write plain numbers and names there."


def doubt_about(
    node: "Node", above: "Node | None", text: str, *, in_maths: bool, brackets: str | None = None
) -> str | None:
    """Why this node may not do what it seems to, as a sentence. `brackets` opened the test around it."""
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
            return "It reads or runs the content of a variable, by ${!…}, ${…@…} or the like."
        case "subscript" if not _counts_plainly(text):
            return SUBSCRIPT
        case "array" if "[" in text and "=" in text:
            return SUBSCRIPT
        case _:
            return _doubt_about_test(kind, above, text, brackets) if brackets else None


def _doubt_about_test(kind: str, above: "Node | None", text: str, brackets: str) -> str | None:
    if kind == "test_operator" and text not in TESTS:
        return f"The test {text} runs code in a subscript, or is not known."
    if brackets == "[[":
        numbers = kind == "test_operator" and text in COMPARES_NUMBERS
        return SUBSCRIPT if numbers and above and not _compares_plainly(above) else None
    splits = kind in ("simple_expansion", "expansion", "command_substitution") and above and above.type in SPLITS
    if splits and text not in NUMBERS and not text.startswith("${#"):
        return "Without quotes, what it tests may be a test."
    return None


def misread(node: "Node", above: "Node | None", source: bytes) -> bool:
    """Whether the grammar split a word, or joined the next line to this one.

    That happens before a backslash. In a shell, a word ends only at white space or an operator.
    """
    text, end = source[node.start_byte : node.end_byte], source[node.end_byte : node.end_byte + 1]
    if above is None or not node.is_named or node.type in NO_WORDS:
        # The grammar includes what it skips in the operator that follows.
        return not node.is_named and text.decode("utf-8", "replace").strip() != node.type.strip()
    if node.type == "word" and above.type in HOLDS_WORDS | PIECED:
        unescaped = ESCAPED.sub(b"", text)
        if b" " in unescaped or b"\t" in unescaped or b"\n" in unescaped:
            return True
    if above.type not in HOLDS_WORDS or not end:
        return False
    is_descriptor = end in b"<>" and text.isdigit() and node.type != "file_descriptor"
    return is_descriptor or not (end in ENDS_WORD or (above.type == "variable_assignment" and end in b"=+["))


def is_maths(above: "Node", node: "Node", text: str) -> bool:
    """Whether a node is arithmetic, by its parent and how that begins."""
    if above.type == "c_style_for_statement":
        return node.is_named and node.type not in ("do_group", "compound_statement")
    return above.type == "arithmetic_expansion" or (above.type == "compound_statement" and text == "((")


def compares_numbers(node: "Node", source: bytes) -> bool:
    if node.type != "binary_expression":
        return False
    operators = [child for child in node.children if child.type == "test_operator"]
    return any(
        source[each.start_byte : each.end_byte].decode("ascii", "replace") in COMPARES_NUMBERS for each in operators
    )


def _expands_plainly(node: "Node") -> bool:
    marks = [child.type for child in node.children if not child.is_named]
    if any(mark not in EXPANDS for mark in marks):
        return False
    return ":" not in marks or all(child.type == "number" for child in node.named_children[1:])


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
    taken = text.split()[1:]
    return all(NAME.fullmatch(name) and not is_risky(name) for name in taken if name != "-v")
