"""What each grammar calls a definition, an import, and text that is no code.

Captures: `@name` is the name of what is defined; the other capture of the pattern is the whole of it and says what kind
of symbol it is. Besides the kinds of `SymbolKind` there are

- `@value`: a constant, a variable or a type, which its spelling tells,
- `@prototype`: a function that is declared here and defined elsewhere, unless it stands inside of one,
- `@inside`: no symbol itself, but the parent of what it holds (`impl Name { … }`),
- `@import`, and `@parent` for a parent that does not enclose the definition (the receiver of a Go method),
- `@text`: comments and the insides of strings. Names in them are no references.

Of several patterns that fit one name the first counts.
"""

_PYTHON = """
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
(assignment left: (identifier) @name) @value
[(import_statement) (import_from_statement)] @import
"""

_JAVASCRIPT = """
(class_declaration name: (_) @name) @class
[(function_declaration name: (_) @name) (generator_function_declaration name: (_) @name)] @function
(method_definition name: (_) @name) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function))
(program (variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @function))
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (class)) @class))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (class)) @class))
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @value)
  (variable_declaration (variable_declarator name: (identifier) @name) @value)])
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(export_statement "default" @name value: [(arrow_function) (function_expression)] @function)
(export_statement "default" @name value: (class) @class)
(program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @function))
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: [(identifier) (import)] @_called arguments: (arguments . (string))
  (#any-of? @_called "require" "import")) @import
"""

_JAVASCRIPT_ONLY = """
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
"""

_TYPESCRIPT_ONLY = """
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(abstract_class_declaration name: (_) @name) @class
(abstract_method_signature name: (_) @name) @method
(interface_declaration name: (_) @name) @interface
(interface_body (method_signature name: (_) @name) @method)
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(function_signature name: (_) @name) @function
"""

_GO = """
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(interface_type (method_elem name: (_) @name) @method)
(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @parent
  (generic_type type: (type_identifier) @parent)
  (pointer_type (type_identifier) @parent)
  (pointer_type (generic_type type: (type_identifier) @parent))])) name: (_) @name) @method
(method_declaration name: (_) @name) @method
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(import_spec) @import
"""

_RUST = """
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (_) @name)]) @inside
(mod_item name: (_) @name body: (_)) @module
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(mod_item !body) @import
(use_declaration) @import
"""

_JAVA = """
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(field_declaration (modifiers "static") declarator: (variable_declarator name: (_) @name)) @value
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(import_declaration) @import
"""

_C = """
(type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @enum
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @type
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (_ declarator: (function_declarator declarator: (_) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (_) @name)))]) @function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator:
    (function_declarator declarator: (identifier) @name)))]) @prototype
(preproc_def name: (_) @name value: (_)) @constant
(preproc_function_def name: (_) @name) @function
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @value)
(preproc_include) @import
"""

_CPP_ONLY = """
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (template_type) @name body: (_)) @struct
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(declaration declarator: (function_declarator declarator: (destructor_name) @name)) @prototype
(declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @prototype
(field_declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (reference_declarator (function_declarator declarator: (_) @name))]) @method
(namespace_definition name: (_) @name) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @value)
"""

_C_SHARP = """
[(namespace_declaration name: (_) @name) (file_scoped_namespace_declaration name: (_) @name)] @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @struct
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @variable
(local_function_statement name: (_) @name) @function
(field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (_) @name))
  (#any-of? @_const "const" "static")) @value
(using_directive) @import
"""

_RUBY = """
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @constant
(call method: (identifier) @_called arguments: (argument_list . (string))
  (#any-of? @_called "require" "require_relative" "load")) @import
"""

_PHP = """
(namespace_definition name: (_) @name) @module
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(const_element . (name) @name) @constant
(function_call_expression function: (name) @_called arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_called "define")) @constant
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
"""

_BASH = """
(function_definition name: (_) @name) @function
(program (variable_assignment name: (variable_name) @name) @value)
(program (declaration_command (variable_assignment name: (variable_name) @name) @value))
(command name: (command_name) @_called (#any-of? @_called "source" ".")) @import
"""

_DEFINITIONS: dict[str, str] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT + _JAVASCRIPT_ONLY,
    "typescript": _JAVASCRIPT + _TYPESCRIPT_ONLY,
    "tsx": _JAVASCRIPT + _TYPESCRIPT_ONLY,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP_ONLY + _C,
    "c_sharp": _C_SHARP,
    "ruby": _RUBY,
    "php": _PHP,
    "bash": _BASH,
}

_TEXT: dict[str, str] = {
    "python": "(comment) (string_content)",
    "javascript": "(comment) (string_fragment) (regex_pattern)",
    "go": "(comment) (interpreted_string_literal) (raw_string_literal)",
    "rust": "(line_comment) (block_comment) (string_content)",
    "java": "(line_comment) (block_comment) (string_fragment)",
    "c": "(comment) (string_content) (system_lib_string)",
    "c_sharp": "(comment) (string_literal_content) (string_content)",
    "ruby": "(comment) (string_content)",
    "php": "(comment) (string_content) (text)",
    "bash": "(comment) (raw_string)",
}
_LIKE = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
QUERIES: dict[str, str] = {
    grammar: f"{definitions}[{_TEXT[_LIKE.get(grammar, grammar)]}] @text"
    for grammar, definitions in _DEFINITIONS.items()
}
"""One for each grammar: two take half as long again."""
