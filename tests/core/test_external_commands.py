import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.external_commands import chooses_session, command_of, takes_prompt_on_stdin
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import ConfigurationError


def agent(**fields: object) -> ExternalAgent:
    return ExternalAgent.model_validate({"name": "robo", "kind": "one_shot", "command": ("robo", "run"), **fields})


WITH_ALL = agent(
    command=("robo", "--say={prompt}"),
    env={"MODE": "ask"},
    model_args=("--model", "{model}"),
    model_env={"CONFIG": '{"model":"{model}"}'},
    resume_args=("resume", "{session}", "-"),
)
NAMES_ITS_SESSION = agent(command=("robo", "--name", "{session}"), resume_args=("--resume",))


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        pytest.param(command_of(WITH_ALL, None, "hi"), ["robo", "--say=hi"], id="a prompt"),
        pytest.param(
            command_of(WITH_ALL, "m", "hi", "s1"),
            ["robo", "--say=hi", "--model", "m", "resume", "s1", "-"],
            id="the model, then the session",
        ),
        pytest.param(command_of(agent(), None, "hi", "s1"), ["robo", "run"], id="nothing to fill in"),
        pytest.param(
            command_of(NAMES_ITS_SESSION, None, "hi", "s1", new_session=True),
            ["robo", "--name", "s1"],
            id="a new session with our name",
        ),
        pytest.param(
            command_of(NAMES_ITS_SESSION, None, "hi", "s1"),
            ["robo", "--name", "s1", "--resume"],
            id="the session of that name again",
        ),
    ],
)
def test_a_command_has_the_model_then_the_session_after_it(command: tuple[list[str], object], argv: list[str]) -> None:
    assert command[0] == argv


def test_the_environment_has_the_model_only_if_one_was_chosen() -> None:
    assert command_of(WITH_ALL, None).env == {"MODE": "ask"}
    assert command_of(WITH_ALL, "m").env == {"MODE": "ask", "CONFIG": '{"model":"m"}'}


@given(st.text(), st.text())
def test_a_prompt_arrives_as_it_was_typed(prompt: str, session: str) -> None:
    assert command_of(WITH_ALL, "m", prompt, session).argv[1] == f"--say={prompt}"


def test_a_prompt_with_our_marks_in_it_is_not_filled_in_again() -> None:
    assert command_of(WITH_ALL, "m", "what is {model}? {session}", "s").argv[1] == "--say=what is {model}? {session}"


def test_a_model_that_the_agent_can_not_be_told_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="robo can't be told a model"):
        command_of(agent(), "m")


def test_a_command_without_a_place_for_the_prompt_reads_it() -> None:
    assert takes_prompt_on_stdin(agent())
    assert not takes_prompt_on_stdin(WITH_ALL)


def test_a_session_is_ours_to_name_where_the_command_has_a_place_for_it() -> None:
    assert chooses_session(NAMES_ITS_SESSION)
    assert not chooses_session(WITH_ALL)
