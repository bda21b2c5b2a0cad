"""What the corpus must know of a language: its comments, and lines that somebody might add to a program in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    comment: str
    """How a comment of one line is written, with `{}` where its words go."""
    comment_starts: tuple[str, ...]
    """What a line begins with that holds nothing but a comment."""
    additions: tuple[str, ...]
    """Lines that an edit may add, with `{name}` and `{number}`; a tab is one level of the file's own indentation."""
    guard: tuple[str, str] | None = None
    """What opens and closes a condition around lines. The end is empty where indentation says it."""
    guard_moves_in: bool = True
    """Lines within the condition stand a level deeper."""

    def is_comment(self, line: str) -> bool:
        return line.strip().startswith(self.comment_starts)


PYTHON = Language(
    "python", "# {}", ("#",),
    ("{name} = {number}", 'log.debug("{name} is %r", {name})', "if {name} is None:\n\treturn {number}",
     "for {name} in range({number}):\n\tself.visit({name})\n\tself.count += 1", "{name} = self.{name}.get({number})"),
    ("if {name} is not None:", ""),
)  # fmt: skip
CYTHON = Language(
    "cython", "# {}", ("#",),
    ("cdef int {name} = {number}", "{name} += {number}", "if {name} < 0:\n\traise ValueError({name})"),
    ("if {name} != {number}:", ""),
)  # fmt: skip
C = Language(
    "c", "/* {} */", ("/*", "*", "//"),
    ("extern int\t{name}(void);", "#define {name}_LIMIT {number}", "int\t\t\t{name};",
     "typedef struct {name}Data\n{{\n\tint\t\t\tcount;\n}} {name}Data;"),
    ("#ifdef {name}", "#endif"), guard_moves_in=False,
)  # fmt: skip
SQL = Language(
    "sql", "-- {}", ("--", "/*", "*"),
    ("ANALYZE {name};", "DROP VIEW IF EXISTS {name};", "GRANT SELECT ON {name} TO PUBLIC;",
     "CREATE INDEX {name}_index\n\tON {name} (id)\n\tWHERE id > {number};"),
)  # fmt: skip
MAKE = Language(
    "make", "# {}", ("#",),
    ("{name} = {number}", "export {name} ?= {number}", "{name}:\n\t$(MAKE) -C {name} all"),
    ("ifdef {name}", "endif"), guard_moves_in=False,
)  # fmt: skip
GO = Language(
    "go", "// {}", ("//",),
    ("{name} := {number}", 'log.Printf("{name}: %v", {name})', "if {name} == nil {{\n\treturn nil\n}}",
     "defer {name}.Close()"),
    ("if {name} > {number} {{", "}}"),
)  # fmt: skip
RUST = Language(
    "rust", "// {}", ("//",),
    ("let {name} = {number};", 'println!("{name}: {{:?}}", {name});', "if {name}.is_empty() {{\n\treturn None;\n}}",
     "let mut {name} = Vec::with_capacity({number});"),
    ("if {name} > {number} {{", "}}"),
)  # fmt: skip
TYPESCRIPT = Language(
    "typescript", "// {}", ("//", "*", "/*"),
    ("const {name} = {number};", "console.debug('{name}', {name});", "if (!{name}) {{\n\treturn;\n}}",
     "await this.{name}({number});"),
    ("if ({name} !== undefined) {{", "}}"),
)  # fmt: skip
JAVA = Language(
    "java", "// {}", ("//", "*", "/*"),
    ("int {name} = {number};", 'log.debug("{name} {{}}", {name});', "if ({name} == null) {{\n\treturn;\n}}",
     "{name}.add({number});"),
    ("if ({name} > {number}) {{", "}}"),
)  # fmt: skip
RUBY = Language(
    "ruby", "# {}", ("#",),
    ("{name} = {number}", 'logger.debug("{name}: #{{{name}}}")', "return if {name}.nil?",
     "{name}.each do |item|\n\titem.update({number})\nend"),
    ("if {name}", "end"),
)  # fmt: skip
SHELL = Language(
    "shell", "# {}", ("#",),
    ("{name}={number}", 'echo "{name}: ${name}" >&2', "local {name}={number}",
     'if [ -z "${name}" ]; then\n\treturn {number}\nfi'),
    ('if [ -n "${name}" ]; then', "fi"),
)  # fmt: skip
MARKDOWN = Language(
    "markdown", "<!-- {} -->", ("<!--",),
    ("The {name} takes up to {number} entries.", "- `{name}`: {number}", "## The {name}", "Set `{name}` to {number}."),
)  # fmt: skip
