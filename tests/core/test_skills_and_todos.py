import pytest

from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.skills import GUIDED_TOKENS, LIST_TOKENS, Skill, chosen_skill, guided_skill, skill_list
from mulligan.core.todos import todo_list


def skills(count: int, description: str) -> list[Skill]:
    return [Skill(f"skill-{number}", description, "body", "x") for number in range(count)]


def test_skills_are_listed_with_what_they_are_for() -> None:
    assert skill_list(skills(2, "For\n  this."), 4.0).endswith("\n- skill-0: For this.\n- skill-1: For this.")


def test_many_skills_are_all_named_with_less_said_of_each() -> None:
    text = skill_list(skills(20, "x" * 500), 4.0)
    assert len(text) <= LIST_TOKENS * 4
    assert f"- skill-0: {'x' * 34}…\n" in text
    assert "- skill-19: " in text


def test_skills_whose_names_are_too_many_are_counted() -> None:
    text = skill_list(skills(400, "x"), 4.0)
    assert len(text) <= LIST_TOKENS * 4 + 20
    named = text.rsplit("\n", 1)[1].split(" and ", 1)
    assert named[1] == f"{400 - len(named[0].split(', '))} more"


def test_however_a_model_writes_its_list_it_is_shown_alike() -> None:
    assert todo_list(["[x] read", "- [ ] change it", "2. [>] test", "plain", "[✓] ticked\n* [~] two in one", " "]) == (
        "[x] read",
        "[ ] change it",
        "[>] test",
        "[ ] plain",
        "[x] ticked",
        "[>] two in one",
    )


OFFERED = [
    Skill("db-migrations", "Use when the user wants to change tables or columns of the database.", "", ""),
    Skill("release", "Use when the user wants a new version published.", "", ""),
    Skill("release-notes", "Use when the user wants to know what changed.", "", ""),
]


@pytest.mark.parametrize(
    ("message", "chosen"),
    [
        ("How do we release?", "release"),
        ("Write release notes", "release-notes"),
        ("write the release_notes for 2.0", "release-notes"),
        ("Add a column to the users table", "db-migrations"),
        ("what version is this?", None),
        ("The user wants to use it", None),
        ("why does the parser fail on tabs?", None),
        ("", None),
    ],
)
def test_a_guided_model_is_given_the_skill_that_its_message_is_about(message: str, chosen: str | None) -> None:
    skill = chosen_skill(OFFERED, message)
    assert (skill.name if skill else None) == chosen


def test_without_skills_none_is_chosen() -> None:
    assert chosen_skill([], "How do we release?") is None


def test_of_a_long_skill_a_guided_model_is_given_the_sections_about_its_message() -> None:
    filler = "\n\n".join(f"Paragraph {number} is about the weather of the day." for number in range(60))
    text = guided_skill(Skill("release", "", f"{filler}\n\nTags are signed.\n", ""), "how do we sign tags?")
    assert text == "From the skill release, in part:\nTags are signed."
    cut = guided_skill(Skill("release", "", filler, ""), "what about cake?")
    assert len(cut) <= GUIDED_TOKENS * CHARS_PER_TOKEN + 40
    assert guided_skill(Skill("release", "", "Tag it.\n", ""), "cake") == "From the skill release:\nTag it."
