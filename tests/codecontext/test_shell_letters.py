"""Shell scripts with letters that the grammar has no table for."""

from mulligan.codecontext.syntax_check import TreeSitterSyntax


def test_a_script_with_letters_beyond_ascii_does_not_end_the_process() -> None:
    syntax = TreeSitterSyntax()
    for letter in ("é", "日", "\U0001f389", "\U000de58b"):
        script = f"greet() {{\n  echo a{{{letter} {letter}\n}}\n" * 50
        for _ in range(20):
            assert syntax.new_problems("a.sh", script, script) == ()
