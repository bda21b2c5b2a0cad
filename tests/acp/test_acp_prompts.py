import pytest

from mulligan.acp.prompts import (
    MAX_CHARS,
    MAX_TOTAL_CHARS,
    FileAddress,
    PromptResource,
    file_address,
    with_attachments,
)


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("file:///p/a.py", FileAddress("/p/a.py")),
        ("file://localhost/p/a.py", FileAddress("/p/a.py")),
        ("file:///p/with%20space.py", FileAddress("/p/with space.py")),
        ("file:///p/a.py#L10:20", FileAddress("/p/a.py", (10, 20))),
        ("file:///p/a.py#L10-L20", FileAddress("/p/a.py", (10, 20))),
        ("file:///p/a.py?symbol=f#L7", FileAddress("/p/a.py", (7, 7))),
        ("file://elsewhere/p/a.py", None),
        ("https://example.org/a.py", None),
        ("untitled:1", None),
        ("file://[broken", None),
    ],
)
def test_where_an_address_leads(uri: str, address: FileAddress | None) -> None:
    assert file_address(uri) == address


@pytest.mark.parametrize(
    ("attachments", "text"),
    [
        pytest.param([], "Look!", id="nothing"),
        pytest.param([PromptResource("a.py", "x = 1\n")], "Look!\n\na.py:\n```\nx = 1\n```", id="a file"),
        pytest.param(
            [PromptResource("a.md", "```\nx\n```")], "Look!\n\na.md:\n````\n```\nx\n```\n````", id="with fences"
        ),
        pytest.param([PromptResource("src", why="a folder")], "Look!\n\nMentioned: src (a folder)", id="a folder"),
        pytest.param(
            [PromptResource("a", "x"), PromptResource("a", "x")], "Look!\n\na:\n```\nx\n```", id="the same twice"
        ),
    ],
)
def test_what_was_given_stands_behind_the_words(attachments: list[PromptResource], text: str) -> None:
    assert with_attachments("Look!", attachments) == text


def test_long_files_are_cut_and_what_does_not_fit_is_named() -> None:
    given = [PromptResource(f"{number}.py", f"{number}" * 50_000) for number in range(5)]

    text = with_attachments("Look!", given)

    assert len(text) < MAX_TOTAL_CHARS + 500
    assert text.count("[…]") == MAX_TOTAL_CHARS // MAX_CHARS
    assert "Mentioned: 4.py (not shown here: look at it with your tools)" in text
