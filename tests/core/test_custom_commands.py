import pytest

from mulligan.core.custom_commands import expand, parse_slash_command, read_command
from mulligan.core.front_matter import split_front_matter

CLAUDE = """---
allowed-tools: Bash(git add:*), Bash(git status:*)
argument-hint: [file] [focus]
description: Review a file
---

Look at $1 with a focus on $2.
"""


def test_front_matter_is_read_line_by_line_even_where_it_is_no_yaml() -> None:
    fields, body = split_front_matter('---\nhint: [a] [b]\nabout: >\n  two\n  lines\nquoted: "yes"\n---\nBody\n')
    assert fields == {"hint": "[a] [b]", "about": "two lines", "quoted": "yes"}
    assert body == "Body"


@pytest.mark.parametrize("text", ["Body", "---\nnever closed", "----\nBody"])
def test_text_without_settings_is_all_body(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_a_command_of_another_tool_is_understood() -> None:
    command = read_command("review", CLAUDE, ".claude/commands/review.md")
    assert (command.description, command.hint) == ("Review a file", "[file] [focus]")
    made = expand(command, 'a.py "odd cases"')
    assert made.text == "Look at a.py with a focus on odd cases."
    assert made.notes == ("of .claude/commands/review.md, this is not followed: allowed-tools",)


@pytest.mark.parametrize(
    ("body", "arguments", "text"),
    [
        pytest.param("Fix $ARGUMENTS now", "issue 7", "Fix issue 7 now", id="all arguments"),
        pytest.param("Fix $1 and $2", "a", "Fix a and", id="one is missing"),
        pytest.param("Fix it", "the parser", "Fix it\n\nthe parser", id="no place for them"),
        pytest.param("Fix $ARGUMENTS", "don't", "Fix don't", id="an apostrophe"),
        pytest.param("Fix $1", "it's here", "Fix it's", id="an apostrophe among words"),
        pytest.param("It costs $0 or $ARGUMENTSX", "", "It costs $0 or $ARGUMENTSX", id="only whole words"),
        pytest.param("Fix $1", "$ARGUMENTS", "Fix $ARGUMENTS", id="what is put in is not read again"),
    ],
)
def test_arguments_go_where_the_file_says(body: str, arguments: str, text: str) -> None:
    assert expand(read_command("x", body, "x.md"), arguments).text == text


def test_what_a_file_wants_to_be_run_is_told_and_not_run() -> None:
    made = expand(read_command("x", "State: !`git status`\n!make test\nWow! Nice.", "x.md"), "")
    assert made.notes == (
        "/x wants `git status` to be run: it was not. To run it yourself: !git status",
        "/x wants `make test` to be run: it was not. To run it yourself: !make test",
    )
    assert made.text == "State: !`git status`\n!make test\nWow! Nice."


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("/review a.py", ("review", "a.py")),
        ("/git:commit", ("git:commit", "")),
        ("/fix one\ntwo", ("fix", "one\ntwo")),
        ("/etc/hosts", None),
        ("say /review", None),
    ],
)
def test_what_is_typed_as_a_command(text: str, typed: tuple[str, str] | None) -> None:
    assert parse_slash_command(text) == typed
