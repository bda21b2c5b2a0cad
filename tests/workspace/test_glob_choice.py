import pytest

from mulligan.core.globs import choose, glob_regex
from mulligan.types.errors import CallRejected

PATHS = [
    ".github/workflows/ci.yml",
    "README.md",
    "docs/turns.md",
    "src/app/core/edit.py",
    "src/app/loop/turn.py",
    "src/app/main.ts",
    "src/app/main.tsx",
    "src/pages/[id].tsx",
    "tests/core/test_edit.py",
    "tests/test_turn.py",
    "turn.txt",
]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        pytest.param("*.md", ["README.md", "docs/turns.md"], id="an ending at any depth"),
        pytest.param("/*.md", ["README.md"], id="an ending at the top"),
        pytest.param("./*.md", ["README.md", "docs/turns.md"], id="a dot and a slash mean nothing"),
        pytest.param("'*.md'", ["README.md", "docs/turns.md"], id="quotes mean nothing"),
        pytest.param("**/test_*.py", ["tests/core/test_edit.py", "tests/test_turn.py"], id="two stars first"),
        pytest.param("tests/*.py", ["tests/test_turn.py"], id="one folder"),
        pytest.param("tests/**", ["tests/core/test_edit.py", "tests/test_turn.py"], id="all below a folder"),
        pytest.param("tests/", ["tests/core/test_edit.py", "tests/test_turn.py"], id="a folder with a slash"),
        pytest.param("tests/**/*.py", ["tests/core/test_edit.py", "tests/test_turn.py"], id="two stars within"),
        pytest.param("*.{ts,tsx}", ["src/app/main.ts", "src/app/main.tsx", "src/pages/[id].tsx"], id="braces"),
        pytest.param("{docs,tests}/*turn*", ["docs/turns.md", "tests/test_turn.py"], id="braces of folders"),
        pytest.param("main.ts?", ["src/app/main.tsx"], id="a question mark"),
        pytest.param("[a-e]*.py", ["src/app/core/edit.py"], id="a class"),
        pytest.param("[!a-e]*.yml", [], id="a negated class"),
        pytest.param("turn", ["docs/turns.md", "src/app/loop/turn.py", "tests/test_turn.py", "turn.txt"], id="a part"),
        pytest.param("TURN.py", ["src/app/loop/turn.py", "tests/test_turn.py"], id="a part in another case"),
        pytest.param("core/", ["src/app/core/edit.py", "tests/core/test_edit.py"], id="a part of the folders"),
        pytest.param("src\\app\\main.ts", ["src/app/main.ts", "src/app/main.tsx"], id="backslashes"),
        pytest.param("core/*.py", ["src/app/core/edit.py", "tests/core/test_edit.py"], id="a folder that is deeper"),
        pytest.param("readme*", ["README.md"], id="a glob in another case"),
        pytest.param("pages/[id].tsx", ["src/pages/[id].tsx"], id="a name that looks like a glob"),
        pytest.param("*", PATHS, id="everything"),
        pytest.param("**", PATHS, id="everything, twice"),
        pytest.param("*.rs", [], id="nothing"),
        pytest.param("nothing", [], id="nothing by name"),
        pytest.param("a.md", [], id="a dot is a dot"),
    ],
)
def test_a_pattern_finds_what_a_person_expects(pattern: str, found: list[str]) -> None:
    assert choose(pattern, PATHS, ".") == found


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        pytest.param("app/*.ts", ["src/app/main.ts"], id="from the folder"),
        pytest.param("src/app/*.ts", ["src/app/main.ts"], id="from the project"),
        pytest.param("main.ts", ["src/app/main.ts", "src/app/main.tsx"], id="a part below the folder"),
        pytest.param("src/app/main", ["src/app/main.ts", "src/app/main.tsx"], id="a part from the project"),
        pytest.param("/pages/*", ["src/pages/[id].tsx"], id="anchored at the folder"),
    ],
)
def test_within_a_folder_patterns_are_read_from_it_and_from_the_project(pattern: str, found: list[str]) -> None:
    below = [path for path in PATHS if path.startswith("src/")]

    assert choose(pattern, below, "src") == found


@pytest.mark.parametrize("pattern", ["*.{py", "*.py}", "[z-a]*"])
def test_a_glob_that_can_not_be_read_is_rejected(pattern: str) -> None:
    with pytest.raises(CallRejected, match="not a valid glob"):
        glob_regex(pattern)


@pytest.mark.parametrize("pattern", ["[[]*", "[]]x", "[a--]", "[&&]", "a.(b|c)+$", "[", "**/**/**", "\\"])
def test_odd_globs_compile(pattern: str) -> None:
    assert glob_regex(pattern)
