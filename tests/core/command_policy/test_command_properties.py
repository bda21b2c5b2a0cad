import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.command_policy import judge_command
from tests.core.command_policy.command_tables import read_table
from tests.examples import examples

PIECES = st.sampled_from(
    ["ls", "rm", "-rf", "/", "..", "*", "$X", "$(", ")", "`", '"', "'", "&&", "||", ";", "|", "&", "\n", " ", "\\",
     "<<EOF", "EOF", ">", "<", ">&", "{", "}", ",", "(", "if", "then", "fi", "for", "in", "do", "done", "case", "esac",
     "cd", "bash -c", "eval", "env", "xargs", "find", "-exec", ";;", "[[", "]]", "((", "))", "#", "=", "sed", "-i",
     "git", "\x00", "\ud800", "é", "~", "!"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)


def is_closed(command: str) -> bool:
    """Whether what is put behind it is a command of its own."""
    return "sound shell syntax" not in judge_command(command).reason and not {"#", "<<"} & set(command.split(" "))


SOUND = st.sampled_from(
    [command for name in ("allowed", "asked") for command, _ in read_table(name) if is_closed(command)]
)


@settings(deadline=None, max_examples=examples(500))
@given(TEXTS)
def test_any_text_gets_a_verdict_with_a_reason(text: str) -> None:
    verdict = judge_command(text)

    assert verdict.reason
    assert verdict.kinds


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(SOUND, min_size=1, max_size=4), st.sampled_from(["&&", "||", ";", "\n", "|"]))
def test_harm_put_behind_anything_denies_it(commands: list[str], operator: str) -> None:
    line = "\n".join(commands) + ("\n" if "<<" in commands[-1] else f" {operator} ") + "sudo x"

    assert judge_command(line).decision == "deny"


@settings(deadline=None, max_examples=examples(300))
@given(SOUND, SOUND)
def test_two_commands_are_never_less_strict_than_one(one: str, other: str) -> None:
    strictness = ["allow", "ask", "deny"]
    both = strictness.index(judge_command(f"{one}\n{other}").decision)

    assert both >= strictness.index(judge_command(one).decision)


@pytest.mark.parametrize(
    ("opening", "core", "closing"),
    [
        pytest.param("echo $(", "sudo x", ")", id="substitutions"),
        pytest.param("( ", "sudo x", " )", id="subshells"),
        pytest.param("{ ", "sudo x", "; }", id="groups"),
        pytest.param("if true; then ", "sudo x", "; fi", id="conditions"),
        pytest.param('echo "$(', "sudo x", ')"', id="substitutions in quotes"),
        pytest.param("while true; do ", "sudo x", "; done", id="loops"),
        pytest.param("env ", "sudo x", "", id="wrappers"),
        pytest.param("f() { ", "sudo x", "; }", id="functions"),
    ],
)
def test_nesting_hides_nothing_however_deep(opening: str, core: str, closing: str) -> None:
    assert judge_command(opening * 200 + core + closing * 200).decision == "deny"


@pytest.mark.parametrize(
    "piece", ["$(", "`", '"', "(", "a|", "a & ", "sh|", "cd a;", "{a,", "[a", "if ", "cat <<A\n", "../", "env "]
)
def test_a_text_made_to_be_slow_is_judged_all_the_same(piece: str) -> None:
    verdict = judge_command(piece * (4_000 // len(piece)))

    assert verdict.reason
