from mulligan.core.skills import LIST_TOKENS, Skill, skill_list
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
