"""Lines made to slip through, class by class, and lines of honest work. Both stand in the text files beside."""

from mulligan.core.command_policy import judge_command


def test_what_is_made_to_slip_through_is_never_allowed(hostile: tuple[str, str]) -> None:
    command, _ = hostile

    verdict = judge_command(command)

    assert verdict.decision != "allow", verdict


def test_honest_work_is_not_asked_about(honest: tuple[str, str]) -> None:
    command, _ = honest

    verdict = judge_command(command)

    assert verdict.decision == "allow", verdict
