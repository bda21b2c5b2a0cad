import pytest

from mulligan.cli.interactive.input_line import ShellEscape, SlashCommand, ToModel, UnknownCommand, parse_line


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        pytest.param("  where is it? ", ToModel("where is it?"), id="a message"),
        pytest.param("/help", SlashCommand("/help"), id="a command"),
        pytest.param("/QUIT ", SlashCommand("/quit"), id="in capitals"),
        pytest.param("/agent  architect ", SlashCommand("/agent", "architect"), id="with an argument"),
        pytest.param("/contineu", UnknownCommand("/contineu", "/continue"), id="a near miss"),
        pytest.param("/xyzzy", UnknownCommand("/xyzzy", None), id="nothing near"),
        pytest.param("/", UnknownCommand("/", None), id="a lone slash"),
        pytest.param("/etc/hosts: what is it?", ToModel("/etc/hosts: what is it?"), id="a path"),
        pytest.param("/help\nme", ToModel("/help\nme"), id="more than one line"),
        pytest.param("2", ToModel("2"), id="a number without a question"),
        pytest.param(" !ls -l ", ShellEscape("ls -l"), id="a command for the shell"),
        pytest.param("! ", ToModel("!"), id="no command for the shell"),
        pytest.param("/git:commit it", ToModel("/git:commit it"), id="a command of one's own"),
        pytest.param("/git:comit", UnknownCommand("/git:comit", "/git:commit"), id="near one's own"),
    ],
)
def test_what_a_line_means(line: str, meaning: object) -> None:
    assert parse_line(line, own=("/git:commit",)) == meaning


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("2", "blue", id="a number picks"),
        pytest.param("3", "3", id="no such option"),
        pytest.param("0", "0", id="zero picks nothing"),
        pytest.param("²", "²", id="a digit that is no decimal"),
        pytest.param("neither", "neither", id="an answer of one's own"),
    ],
)
def test_a_number_stands_for_an_option_of_the_open_question(line: str, said: str) -> None:
    assert parse_line(line, ("red", "blue")) == ToModel(said)
