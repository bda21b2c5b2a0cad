"""Which files an answer cites, and what is said of those that were not read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.citations import citation_note, cited_paths

KNOWN = ["README.md", "Makefile", "run", "src/app/main.py", "src/app/cart.py", "tests/cart.py", "web/.env.example"]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        pytest.param("See `src/app/main.py`.", {"src/app/main.py": ("src/app/main.py",)}, id="a whole path"),
        pytest.param("See src/app/main.py:12-20 and", {"src/app/main.py": ("src/app/main.py",)}, id="with lines"),
        pytest.param("See [it](./src/app/main.py#L3).", {"src/app/main.py": ("src/app/main.py",)}, id="a link"),
        pytest.param("It is in app/main.py.", {"app/main.py": ("src/app/main.py",)}, id="the end of a path"),
        pytest.param("`main.py` starts it", {"main.py": ("src/app/main.py",)}, id="a name"),
        pytest.param("cart.py", {"cart.py": ("src/app/cart.py", "tests/cart.py")}, id="a name that two files have"),
        pytest.param("/home/me/app/src/app/main.py", {"/home/me/app/src/app/main.py": ("src/app/main.py",)}, id="root"),
        pytest.param("the readme.md says", {"readme.md": ("README.md",)}, id="another case"),
        pytest.param("`Makefile` and `run`", {"Makefile": ("Makefile",), "run": ("run",)}, id="no ending, marked"),
        pytest.param("you run the makefile", {}, id="words"),
        pytest.param("and/or, TCP/IP, e.g. 1.5 of Node.js", {}, id="no paths"),
        pytest.param("app.main.run() and self.cart", {}, id="code"),
        pytest.param("`src/app/` holds `*.py` files", {}, id="folders and patterns"),
        pytest.param("https://example.com/src/app/other.py", {}, id="an address"),
        pytest.param("```\nsrc/app/made_up.py\n```\nok", {}, id="a code block"),
        pytest.param("in src/app/made_up.py", {"src/app/made_up.py": ()}, id="a path that there is not"),
        pytest.param("`engine.rs` does it", {"engine.rs": ()}, id="a marked name that there is not"),
        pytest.param("engine.rs does it", {}, id="an unmarked name that there is not"),
        pytest.param("main.py main.py src/app/main.py", {"main.py": ("src/app/main.py",)}, id="each once"),
    ],
)
def test_what_a_text_cites(text: str, cited: dict[str, tuple[str, ...]]) -> None:
    assert {each.written: each.files for each in cited_paths(text, KNOWN)} == cited


@pytest.mark.parametrize(
    ("text", "note"),
    [
        pytest.param("`src/app/main.py` and `README.md`", "", id="all were read"),
        pytest.param("See Makefile and nothing else", "", id="nothing is cited"),
        pytest.param("cart.py", "Not read: `cart.py`.", id="ambiguous, none read"),
        pytest.param(
            "app/cart.py, `Makefile`, `src/app/pay.py`",
            "Not read: `src/app/cart.py`, `Makefile`. Not in this project: `src/app/pay.py`.",
            id="unread and made up",
        ),
    ],
)
def test_what_is_said_of_the_files_that_were_not_read(text: str, note: str) -> None:
    assert citation_note(text, known_paths=KNOWN, read=["src/app/main.py", "README.md"]) == note


def test_a_long_list_is_cut() -> None:
    text = " ".join(f"src/made/up_{number}.py" for number in range(20))
    assert citation_note(text, known_paths=KNOWN, read=[]).endswith("`src/made/up_11.py` and 8 more.")


@given(st.text("ab./`*:\n #~-[]()", max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    for each in cited_paths(text, ["a/b.a", "b.b"]):
        assert each.written in text


@given(st.lists(st.sampled_from(KNOWN), unique=True), st.sets(st.sampled_from(KNOWN)))
def test_exactly_the_unread_are_named(cited: list[str], read: set[str]) -> None:
    text = "\n".join(f"- `{path}`" for path in cited)
    note = citation_note(text, known_paths=KNOWN, read=read)
    assert {path for path in KNOWN if f"`{path}`" in note} == set(cited) - read
    assert "Not in this project" not in note
