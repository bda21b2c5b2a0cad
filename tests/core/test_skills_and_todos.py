from mulligan.core.skills import LIST_TOKENS, Skill, skill_list
from mulligan.core.todos import todo_list


def skills(count: int, description: str) -> list[Skill]:
    return [Skill(f"skill-{number}", description, "body", "x") for number in range(count)]


def test_skills_are_listed_with_what_they_are_for() -> None:
    assert skill_list(skills(2, "For\n  this."), 4.0).endswith("\n- skill-0: For this.\n- skill-1: For this.")


def test_many_skills_keep_to_the_budget_and_none_is_kept_quiet() -> None:
    text = skill_list(skills(60, "x" * 500), 4.0)
    assert len(text) <= LIST_TOKENS * 4 + 40
    assert "skill-9" in text
    assert text.rsplit(" ", 2)[0].endswith("and") or "skill-59" in text


def test_however_a_model_writes_its_list_it_is_shown_alike() -> None:
    assert todo_list(["[x] read", "- [ ] change it", "2. [>] test", "plain", "[✓] ticked\n* [~] two in one", " "]) == (
        "[x] read",
        "[ ] change it",
        "[>] test",
        "[ ] plain",
        "[x] ticked",
        "[>] two in one",
    )
