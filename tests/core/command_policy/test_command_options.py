"""Rules that hold for the whole table of options, and the small readers behind it."""

import pytest

from mulligan.core.command_policy import judge_command
from mulligan.core.command_policy.braces import expand_braces
from mulligan.core.command_policy.options import entry_of, known_names, read_options
from mulligan.core.command_policy.small_programs import awk_only_prints, sed_only_prints
from mulligan.core.command_policy.words import Word

PROGRAMS = [name for name in known_names() if not name.startswith(".")]
STRICT = [name for name in PROGRAMS if (entry := entry_of(name)) and not entry.free and entry.operands[:1] != ["**"]]


@pytest.mark.parametrize("name", STRICT)
def test_an_option_that_the_table_does_not_have_is_never_allowed(name: str) -> None:
    assert judge_command(f"{name} --no-such-option").decision != "allow"


@pytest.mark.parametrize("name", STRICT)
def test_a_word_that_is_computed_is_never_allowed_where_an_option_could_stand(name: str) -> None:
    assert judge_command(f"{name} $X").decision != "allow"


def words(text: str) -> tuple[Word, ...]:
    return tuple(Word(each) for each in text.split(" "))


@pytest.mark.parametrize(
    ("name", "text", "reads"),
    [
        pytest.param("grep", "-n foo a.txt b.txt", ["a.txt", "b.txt"], id="a pattern comes first"),
        pytest.param("grep", "-e foo a.txt", ["a.txt"], id="not with -e"),
        pytest.param("grep", "-nefoo a.txt", ["a.txt"], id="nor with -e glued into others"),
        pytest.param("grep", "-fa.txt b.txt", ["a.txt", "b.txt"], id="a file of patterns, glued"),
        pytest.param("head", "-n 5 a.txt", ["a.txt"], id="a value behind"),
        pytest.param("head", "-n5 a.txt", ["a.txt"], id="a value glued"),
        pytest.param("head", "-5 a.txt", ["a.txt"], id="a number as an option"),
        pytest.param("sort", "--key=2 a.txt", ["a.txt"], id="a value behind ="),
        pytest.param("sort", "--key 2 a.txt", ["a.txt"], id="a value behind a long option"),
        pytest.param("cat", "-- -n", ["-n"], id="behind two dashes, nothing is an option"),
        pytest.param("find", "src -name x -newer a.txt", ["src", "a.txt"], id="options that are words"),
        pytest.param("gcc", "-Iinclude -c a.c", ["include", "a.c"], id="a word with a glued value"),
    ],
)
def test_the_paths_of_a_call_are_told_from_its_other_words(name: str, text: str, reads: list[str]) -> None:
    reading = read_options(name, words(text))

    assert (reading.problem, [word.text for word in reading.reads]) == (None, reads)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("sort", "--rev a.txt", id="an option in short"),
        pytest.param("sort", "--reverse=x a.txt", id="a value for a flag"),
        pytest.param("sort", "-no a.txt", id="an unknown letter among known ones"),
        pytest.param("sort", "-k", id="a value that is missing"),
        pytest.param("timeout", "-s --foo 5 ls", id="an option instead of a value"),
        pytest.param("uniq", "a.txt b.txt", id="an operand too many"),
        pytest.param("gcc", "@args", id="a file of options"),
        pytest.param("pytest", "-p x", id="a value that is not among the harmless"),
        pytest.param("ps", "auxe", id="a value that only begins like a harmless one"),
        pytest.param("frobnicate", "a", id="a program that is not there"),
    ],
)
def test_what_is_not_understood_is_a_problem_with_words_for_it(name: str, text: str) -> None:
    problem = read_options(name, words(text)).problem

    assert problem is not None
    assert problem.startswith(("has ", "is ", "names "))


@pytest.mark.parametrize(
    "program",
    ["p", "10,20p", "$!N;P;D", "/a/,/b/d", "s/a/b/g", "s|a|b|", r"s/\//x/2gp", "1!G;h;$!d", "/x/{s/a/b/;p}", ":a;N;ba",
     "y/abc/xyz/", "1~2d", "2,+3p", r"\,x,p", "# w out", "5q", "$=", "s/[0-9]*/N/", "2i hello"],
)  # fmt: skip
def test_a_program_for_sed_that_only_prints_is_known(program: str) -> None:
    assert sed_only_prints(program)


@pytest.mark.parametrize(
    "program",
    ["w out", "1e ls", "e", "s/a/b/e", "s/a/b/w out", "s/a/b/gw out", "r .env", "R .env", "W out", "1,2w out",
     "p;w out",
     "{p;w out", "s/a/b/;e ls", "/a/{e ls}", "i x\ne ls", "s[a[b[e", "s/[/]/w x/", "s/a", "s", "\\", "/a", "v", "p w",
     "Q;w x",
     "s/" + "\\" * 60, "y/a/b/w", "bx;w out", ":a w out\ne", "sea'ebe"],
)  # fmt: skip
def test_a_program_for_sed_that_acts_or_is_not_understood_is_not(program: str) -> None:
    assert not sed_only_prints(program)


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "$3 > 5 {print}",
        "/a|b/ {n++}",
        "NR>=2 && NR<=3",
        "{print $1 || $2}",
        "{print (a >= b)}",
        "END {print NR}",
    ],
)
def test_a_program_for_awk_that_only_prints_is_known(program: str) -> None:
    assert awk_only_prints(program)


@pytest.mark.parametrize(
    "program",
    ['{print > "x"}', '{print "a;b" > "x"}', '{print | "sh"}', '{system("x")}', '"x" | getline', "@include",
     '{printf "x">>"y"}',
     "{print ENVIRON[1]}", 'BEGIN {ARGV[1] = "x"}', '{print |& "x"}', "1" * 2_001],
)  # fmt: skip
def test_a_program_for_awk_that_acts_is_not(program: str) -> None:
    assert not awk_only_prints(program)


@pytest.mark.parametrize(
    ("raw", "unfolded"),
    [
        pytest.param("src/a.py", None, id="no braces"),
        pytest.param("stash@{0}", None, id="nothing to unfold"),
        pytest.param("{}", None, id="empty"),
        pytest.param("src/{a,b}.py", ("src/a.py", "src/b.py"), id="a list"),
        pytest.param("{-delete,x}", ("-delete", "x"), id="at the beginning"),
        pytest.param("{a..c}", (), id="a range"),
        pytest.param("{a,{b,c}}", (), id="nested"),
        pytest.param("{a,$X}", (), id="computed"),
        pytest.param("{" + "a," * 100 + "}", (), id="too many"),
    ],
)
def test_braces_unfold_where_it_can_be_told(raw: str, unfolded: tuple[str, ...] | None) -> None:
    assert expand_braces(raw) == unfolded
