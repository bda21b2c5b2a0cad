"""The options that are known to be harmless, by program. Anything that is not listed is asked about.

A line is `name , other name | tokens`; indented lines continue it. Tokens are:

| token | meaning |
|---|---|
| `-abc` `--long` | flags; `-abc` are three |
| `-abc:` `--long:` | with a text value, attached or as the next word |
| `~` instead of `:` | with a value of letters, digits and a few other characters, no slash and no space |
| `=a\\|b` | with the value `a` or `b` |
| `^a` | with a value that begins with `a` |
| `<` and `>` | with a path that is read, and with the name of a build's output |
| `--long?` | with or without a text after `=` |
| `-a::` | with two text values |
| `!` after these | replaces the pattern |
| `-m**` `**` `--**` | the rest, after the option, as operand or after `--`, is not the program's own |
| `--{name}` | after `--` come the options of that name |
| `-#` | a number as an option |
| `:` `~` `<` `=a` `^a` | one operand of that kind; with `*` any number of them |
| `pattern` | the first operand, unless an option replaces it |
| `words` | options are whole words, as in `-name`; `+` after a kind: the value may be attached |
| `free` | no options, or only harmless ones, and all its words are text |
| `any` | it only reads, with any options: a computed word may be one |
| `&name` | everything listed under that name |
"""

from mulligan.core.command_policy.option_tables_git import GIT
from mulligan.core.command_policy.option_tables_read import READING
from mulligan.core.command_policy.option_tables_run import RUNNING

TABLES = READING + GIT + RUNNING
