"""Kinds of syntax tree nodes that are the same for every grammar.

Grammars use similar names for most nodes: a call is a `call` or a `call_expression`. `KINDS` has the common names; a
language's other names are in the `node_kinds` of its record. Nodes without a kind only lead to their children.
"""

from collections.abc import Mapping
from typing import Literal

Kind = Literal[
    "", "root", "block", "comment", "function", "lambda", "class", "parameters", "default", "import", "wrapper",
    "if", "elif", "else", "loop", "each", "clause", "switch", "case", "return", "raise", "break", "continue", "try",
    "catch", "expression", "declare", "assign", "augment", "step", "delete", "pass",
    "comparison", "arithmetic", "boolean", "not", "negative", "unary", "call", "new", "arguments", "named",
    "attribute", "subscript", "slice", "index", "name", "field", "integer", "float", "string", "template", "hole",
    "true", "false", "null", "list", "map", "set", "tuple", "pair", "spread", "comprehension", "filter",
    "conditional", "group", "await", "yield", "composite", "regex", "text", "type",
]  # fmt: skip
"""`loop` checks a condition every time, `each` iterates over items; `clause` is the loop of a comprehension.
`composite` is Go's literal with a type, `group` a pair of brackets, `step` is `i++`, `text` the inside of a string."""

COMPARING = frozenset({"<", "<=", ">", ">=", "==", "!=", "===", "!==", "in", "not in", "is", "is not", "instanceof"})
CHOOSING = frozenset({"and", "or", "&&", "||", "??"})


def _named(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


KINDS: Mapping[str, Kind] = {
    **_named("root", "module program source_file translation_unit compilation_unit chunk"),
    **_named(
        "block", "block statement_block compound_statement class_body body_statement declaration_list switch_body"
    ),
    **_named("comment", "comment line_comment block_comment"),
    **_named(
        "function",
        "function_definition function_declaration method_definition method_declaration function_item method "
        "generator_function_declaration constructor_declaration",
    ),
    **_named("lambda", "lambda arrow_function function_expression func_literal closure_expression lambda_expression"),
    **_named("class", "class_definition class_declaration class type_declaration struct_item interface_declaration"),
    **_named("parameters", "parameters formal_parameters parameter_list method_parameters lambda_parameters"),
    **_named("default", "default_parameter typed_default_parameter assignment_pattern optional_parameter"),
    **_named("import", "import_statement import_from_statement import_declaration package_clause use_declaration"),
    **_named("wrapper", "decorated_definition export_statement labeled_statement"),
    **_named("if", "if_statement if_expression"),
    **_named("elif", "elif_clause elsif"),
    **_named("else", "else_clause"),
    **_named("loop", "while_statement while_expression do_statement for_statement"),
    **_named("each", "for_in_statement enhanced_for_statement for_each_statement foreach_statement"),
    **_named("clause", "for_in_clause"),
    **_named("filter", "if_clause"),
    **_named("switch", "switch_statement expression_switch_statement match_statement"),
    **_named("case", "switch_case switch_default expression_case default_case case_clause"),
    **_named("return", "return_statement return_expression"),
    **_named("raise", "raise_statement throw_statement"),
    **_named("break", "break_statement"),
    **_named("continue", "continue_statement"),
    **_named("try", "try_statement with_statement"),
    **_named("catch", "except_clause catch_clause finally_clause"),
    **_named("expression", "expression_statement"),
    **_named(
        "declare", "variable_declarator short_var_declaration let_declaration const_spec var_spec init_declarator"
    ),
    **_named("assign", "assignment assignment_expression assignment_statement"),
    **_named("augment", "augmented_assignment augmented_assignment_expression compound_assignment_expr"),
    **_named("step", "update_expression inc_statement dec_statement"),
    **_named("delete", "delete_statement"),
    **_named("pass", "pass_statement empty_statement"),
    **_named("comparison", "comparison_operator"),
    **_named("arithmetic", "binary_operator binary_expression binary"),
    **_named("boolean", "boolean_operator"),
    **_named("not", "not_operator"),
    **_named("unary", "unary_operator unary_expression unary"),
    **_named("call", "call call_expression method_invocation invocation_expression function_call"),
    **_named("new", "new_expression object_creation_expression"),
    **_named("arguments", "argument_list arguments"),
    **_named("named", "keyword_argument"),
    **_named("attribute", "attribute member_expression selector_expression field_expression field_access"),
    **_named("subscript", "subscript subscript_expression index_expression slice_expression"),
    **_named("slice", "slice"),
    **_named("name", "identifier shorthand_property_identifier"),
    **_named("field", "property_identifier field_identifier"),
    **_named("integer", "integer int_literal integer_literal number number_literal decimal_integer_literal"),
    **_named("float", "float float_literal decimal_floating_point_literal"),
    **_named("string", "string string_literal interpreted_string_literal raw_string_literal rune_literal"),
    **_named("template", "template_string"),
    **_named("hole", "interpolation template_substitution"),
    **_named("true", "true"),
    **_named("false", "false"),
    **_named("null", "none null nil undefined null_literal"),
    **_named("list", "list array array_expression"),
    **_named("map", "dictionary object hash"),
    **_named("set", "set"),
    **_named("tuple", "tuple expression_list pattern_list tuple_expression tuple_pattern array_pattern object_pattern"),
    **_named("pair", "pair keyed_element"),
    **_named("spread", "spread_element list_splat dictionary_splat"),
    **_named("comprehension", "list_comprehension set_comprehension dictionary_comprehension generator_expression"),
    **_named("conditional", "conditional_expression ternary_expression"),
    **_named("group", "parenthesized_expression"),
    **_named("await", "await await_expression"),
    **_named("yield", "yield yield_expression"),
    **_named("composite", "composite_literal"),
    **_named("regex", "regex"),
    **_named("text", "string_content string_fragment escape_sequence"),
    **_named("type", "type type_annotation type_identifier predefined_type slice_type map_type pointer_type"),
}

PARTS: Mapping[str, tuple[str, ...]] = {
    "object": ("object", "operand", "value", "argument"),
    "member": ("attribute", "property", "field", "name"),
    "called": ("function", "constructor", "name", "method"),
    "arguments": ("arguments",),
    "left": ("left", "name", "pattern"),
    "right": ("right", "value"),
    "operator": ("operator",),
    "operand": ("argument", "operand"),
    "condition": ("condition",),
    "then": ("consequence", "body"),
    "otherwise": ("alternative",),
    "body": ("body",),
    "name": ("name", "key"),
    "value": ("value", "right"),
    "parameters": ("parameters", "parameter"),
    "items": ("right", "value"),
    "item": ("left", "name"),
    "index": ("subscript", "index"),
    "start": ("start",),
    "end": ("end",),
    "receiver": ("receiver",),
    "expression": ("expression",),
    "result": ("result",),
}
"""Our names for the parts of a node, and the grammars' names."""
