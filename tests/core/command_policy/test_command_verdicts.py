"""What the policy says of commands, group by group. The commands stand in the text files beside."""

import pytest

from mulligan.core.command_policy import judge_command
from mulligan.types.commands import CommandKind, Decision


def test_what_does_no_harm_is_allowed(allowed: tuple[str, CommandKind]) -> None:
    command, kind = allowed

    verdict = judge_command(command)

    assert (verdict.decision, kind in verdict.kinds) == ("allow", True), verdict


def test_what_is_for_the_user_to_decide_is_asked(asked: tuple[str, CommandKind]) -> None:
    command, kind = asked

    verdict = judge_command(command)

    assert (verdict.decision, kind in verdict.kinds) == ("ask", True), verdict


def test_what_can_not_be_made_good_is_denied_with_the_reason(denied: tuple[str, str]) -> None:
    command, reason = denied

    verdict = judge_command(command)

    assert verdict.decision == "deny", verdict
    assert reason in verdict.reason


def test_the_strictest_word_on_any_part_wins_and_kinds_are_united() -> None:
    verdict = judge_command("ls && pytest; pip install x | sudo tee a")

    assert verdict.decision == "deny"
    assert verdict.kinds >= {"read", "test", "install"}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        pytest.param(
            "cd x && pip install requests",
            "`pip install requests` installs packages: it needs the user's approval.",
            id="the part that decides is named",
        ),
        pytest.param(
            "echo hi > a.txt",
            "`> a.txt` changes files directly: what edit_file, create_file and delete_file do can be reviewed first, "
            "this can't, so it needs the user's approval.",
            id="what to use instead",
        ),
        pytest.param(
            "pip install x && git fetch && pip install x",
            "`pip install x` installs packages: it needs the user's approval. "
            "`git fetch` uses the network: it needs the user's approval.",
            id="all that is asked, each once",
        ),
        pytest.param("pytest -q", "`pytest -q` runs tests.", id="what is allowed"),
        pytest.param("", "It does nothing.", id="nothing"),
        pytest.param("# a comment", "It does nothing.", id="a comment"),
    ],
)
def test_reasons_are_sentences_that_name_the_part(command: str, reason: str) -> None:
    assert judge_command(command).reason == reason


def test_a_long_part_is_cut_in_the_reason() -> None:
    reason = judge_command("frobnicate " + "x" * 500).reason

    assert len(reason) < 200
    assert "…`" in reason


def test_what_is_too_long_to_be_judged_is_denied() -> None:
    verdict = judge_command("echo " + "x" * 20_000)

    assert verdict.decision == "deny"
    assert "create_file" in verdict.reason


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        pytest.param("cd /home/me/app && pytest", "allow", id="going to where it is"),
        pytest.param("cat /home/me/app/src/a.py", "allow", id="a path into it"),
        pytest.param("cd /home/me && ls app", "ask", id="by its parent"),
        pytest.param("cd .. && rm -rf app", "deny", id="removed from its parent"),
        pytest.param("rm -rf /home/me/app", "deny", id="removed by its path"),
        pytest.param("rm -rf /home/me/app/*", "deny", id="all in it removed"),
        pytest.param("rm -rf /home/me/app/build", "ask", id="a folder in it"),
        pytest.param("echo x > /home/me/app/a", "ask", id="writing into it"),
        pytest.param("echo x > /home/me/application/a", "deny", id="a neighbour with a longer name"),
        pytest.param("/home/me/app/run.sh", "allow", id="a program of it"),
        pytest.param("cat /home/me/app/../x", "ask", id="out of it again"),
    ],
)
def test_absolute_paths_into_a_known_project_are_inside(command: str, decision: Decision) -> None:
    assert judge_command(command, project="/home/me/app").decision == decision


@pytest.mark.parametrize(
    ("letter", "shown"),
    [
        pytest.param("\x1b", "^[", id="escape"),
        pytest.param("\r", "^M", id="carriage return"),
        pytest.param("\b", "^H", id="backspace"),
        pytest.param("\x00", "^@", id="nul"),
        pytest.param("\x7f", "^?", id="delete"),
        pytest.param("\x9b", "U+009B", id="a control of the second set"),
        pytest.param("\u202e", "U+202E", id="right to left"),
        pytest.param("\u2066", "U+2066", id="an isolate"),
        pytest.param("\u200b", "U+200B", id="a space of no width"),
        pytest.param("\U000e0041", "U+E0041", id="a tag"),
    ],
)
def test_a_character_that_can_not_be_seen_is_denied_by_name(letter: str, shown: str) -> None:
    verdict = judge_command(f"echo a{letter}b")

    assert verdict.decision == "deny"
    assert f"({shown}): send it without" in verdict.reason


def test_newlines_and_tabs_are_seen_well_enough() -> None:
    assert judge_command("ls\n\tpwd").decision == "allow"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("( " * 600 + "ls" + " )" * 600, id="nested too deep"),
        pytest.param("ls; " * 301, id="too many commands"),
        pytest.param(")" * 4_001, id="too many signs"),
    ],
)
def test_what_is_too_much_to_be_judged_is_denied(command: str) -> None:
    verdict = judge_command(command)

    assert verdict.decision == "deny"
    assert "create_file" in verdict.reason


@pytest.mark.parametrize("letter", ["é", "日", "\U0001f389", "\U000de58b", "\U0010ffff"])
def test_a_letter_that_the_grammar_has_no_table_for_does_not_end_the_process(letter: str) -> None:
    for _ in range(400):  # it took some calls, for memory to lie unluckily
        assert judge_command(f"ls a{{{letter}").decision in ("allow", "ask", "deny")
