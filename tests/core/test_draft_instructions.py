"""A first AGENTS.md: it says what the files say, and nothing else."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.draft_instructions import ProjectFacts, draft_instructions, indentation
from mulligan.types.codecontext import EntryPoint, Framework, Overview
from mulligan.types.fixing import ProjectCommand

NOTHING = Overview(0, 0, (), (), (), (), (), (), (), ())


def facts(paths: tuple[str, ...] = (), at_top: Mapping[str, str] | None = None, **more: Any) -> ProjectFacts:
    given_facts: dict[str, Any] = {"overview": NOTHING, "frameworks": (), "commands": (), "samples": {}, **more}
    return ProjectFacts(name="shop", paths=paths, at_top=at_top or {}, **given_facts)


def test_a_project_of_which_nothing_is_known_gets_no_invented_line() -> None:
    lines = draft_instructions(facts()).splitlines()
    assert [line for line in lines if line.startswith(("- ", "##"))] == [
        "## Commands",
        "- No command that runs tests was found.",
    ]


def test_commands_stand_with_the_reason_they_are_known_for() -> None:
    test = ProjectCommand(command="python3 -m pytest", kind="test", why="pytest is configured in pyproject.toml")
    lint = ProjectCommand(command="ruff check", kind="lint", why="ruff is configured in pyproject.toml")
    package = Framework("package.json", "JavaScript", "shop", (), (), (("build", "vite build"),), ())
    drafted = draft_instructions(
        facts(("pnpm-lock.yaml",), {"Makefile": "build:\n\tgo\n"}, commands=(lint, test), frameworks=(package,))
    )
    assert [line for line in drafted.splitlines() if line.startswith("- ")] == [
        "- Test: `python3 -m pytest` (pytest is configured in pyproject.toml)",
        "- Check: `ruff check` (ruff is configured in pyproject.toml)",
        "- Build: `pnpm run build` (scripts.build in package.json)",
        "- Build: `make build` (target `build` in Makefile)",
    ]


def test_the_layout_names_top_folders_with_what_they_hold() -> None:
    paths = (
        "README.md", "src/shop/cart/a.py", "src/shop/cart/b.py", "src/shop/money.py", "tests/test_cart.py",
        "node_modules/left-pad/index.js", ".github/workflows/ci.yml",
    )  # fmt: skip
    drafted = draft_instructions(facts(paths))
    assert "- `src/shop/`: 3 files, Python; in it `cart`\n- `tests/`: tests, 1 file, Python\n" in drafted
    assert "node_modules" not in drafted
    assert ".github" not in drafted


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", '[project]\nrequires-python = ">=3.11"\n', "Python `>=3.11` (pyproject.toml)"),
        ("package.json", '{"engines": {"node": ">=20"}}', "Node.js `>=20` (package.json)"),
        ("go.mod", "module shop\n\ngo 1.22\n", "Go `1.22` (go.mod)"),
        ("Cargo.toml", '[package]\nedition = "2021"\n', "Rust edition `2021` (Cargo.toml)"),
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", "Formatted by black (pyproject.toml)"),
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", "Lines have up to 100 characters (pyproject.toml)"),
        (".prettierrc", "{}", "Formatted by Prettier (.prettierrc)"),
    ],
)
def test_a_convention_is_named_with_the_file_that_says_it(name: str, text: str, said: str) -> None:
    assert f"- {said}\n" in draft_instructions(facts((name,), {name: text}))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("def a():\n    if b:\n        c\n    d\n\n\ndef e():\n    f\n", "4 spaces"),
        ("a:\n  b:\n    c:\n      d\n", "2 spaces"),
        ("func a() {\n\tb()\n\tif c {\n\t\td()\n\t}\n}\n", "tabs"),
        ("a = 1\nb = 2\n", None),
    ],
)
def test_indentation_is_read_from_the_lines(text: str, seen: str | None) -> None:
    assert indentation(text) == seen


def test_how_sources_are_indented_is_said_only_where_they_agree() -> None:
    four, tabs = "if a:\n    b\nif c:\n    d\nif e:\n    f\n", "if a:\n\tb\nif c:\n\td\n"
    alike = draft_instructions(facts(samples={f"{name}.py": four for name in "abcd"}))
    assert "- Python is indented by 4 spaces (4 of 4 files that were looked at)" in alike
    mixed = draft_instructions(facts(samples={"a.py": four, "b.py": four, "c.py": tabs, "d.py": tabs}))
    assert "indented" not in mixed


WORDS = st.text(max_size=200)


@given(
    paths=st.lists(st.lists(WORDS.filter(lambda text: "/" not in text), min_size=1, max_size=4).map("/".join)),
    commands=st.lists(st.tuples(WORDS, st.sampled_from(["test", "lint"]), WORDS)),
    starts=st.lists(st.tuples(WORDS, WORDS)),
    documents=st.lists(WORDS),
    names=st.lists(WORDS),
)
def test_whatever_the_files_say_it_is_short_and_none_of_it_begins_a_line(
    paths: list[str],
    commands: list[tuple[str, Any, str]],
    starts: list[tuple[str, str]],
    documents: list[str],
    names: list[str],
) -> None:
    overview = Overview(0, 0, (), tuple(EntryPoint(*each) for each in starts), (), (), (), tuple(documents), (), ())
    framework = Framework("package.json", "JavaScript", "", tuple(names), (), tuple((name, "") for name in names), ())
    drafted = draft_instructions(
        facts(
            tuple(paths),
            overview=overview,
            commands=[ProjectCommand(command=text, kind=kind, why=why) for text, kind, why in commands],
            frameworks=(framework,),
        )
    )
    lines = drafted.splitlines()
    assert len(lines) < 60
    assert all(line.startswith(("- ", "## ")) for line in lines[3:] if line)
