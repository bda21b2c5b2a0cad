"""The options that are known to be harmless, program by program. What does not stand here is asked about.

A line is `name , other name | tokens`; lines that are indented go on with it. Tokens are:

| token | meaning |
|---|---|
| `-abc` `--long` | flags; `-abc` are three |
| `-abc:` `--long:` | with a value that is only text, glued or behind |
| `~` instead of `:` | with a value of letters, digits and a few signs, no slash and no space |
| `=a\\|b` | with the value `a` or `b` |
| `^a` | with a value that begins with `a` |
| `<` and `>` | with a path that is read, and with the name of a build's output |
| `--long?` | with or without a text behind `=` |
| `-a::` | with two values that are only text |
| `!` behind these | stands instead of the pattern |
| `-m**` `**` `--**` | from here on, behind the option, as operand or behind `--`: not its own words |
| `--{name}` | behind `--` come the options of that name |
| `-#` | a number as an option |
| `:` `~` `<` `=a` `^a` | one operand of that kind; with `*` any number of them |
| `pattern` | the first operand, if no option stands instead of it |
| `words` | options are whole words, as in `-name`; `+` behind a kind: the value may be glued |
| `free` | it has no options, or harmless ones only, and all its words are text |
| `any` | whatever options it has, it only reads: a word may hide one |
| `&name` | all that stands at that name |
"""

from mulligan.core.command_policy.option_tables_git import GIT
from mulligan.core.command_policy.option_tables_read import READING
from mulligan.core.command_policy.option_tables_run import RUNNING

TABLES = READING + GIT + RUNNING
