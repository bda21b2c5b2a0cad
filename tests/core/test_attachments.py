import pytest

from mulligan.core.attachments import MOST_CHARS, MOST_IN_ALL, Attachment, with_attachments


@pytest.mark.parametrize(
    ("attachments", "text"),
    [
        pytest.param([], "Look!", id="nothing"),
        pytest.param([Attachment("a.py", "x = 1\n")], "Look!\n\na.py:\n```\nx = 1\n```", id="a file"),
        pytest.param([Attachment("a.md", "```\nx\n```")], "Look!\n\na.md:\n````\n```\nx\n```\n````", id="with fences"),
        pytest.param([Attachment("src", why="a folder")], "Look!\n\nMentioned: src (a folder)", id="a folder"),
        pytest.param([Attachment("a", "x"), Attachment("a", "x")], "Look!\n\na:\n```\nx\n```", id="the same twice"),
    ],
)
def test_what_was_given_stands_behind_the_words(attachments: list[Attachment], text: str) -> None:
    assert with_attachments("Look!", attachments) == text


def test_long_files_are_cut_and_what_does_not_fit_is_named() -> None:
    given = [Attachment(f"{number}.py", f"{number}" * 50_000) for number in range(5)]

    text = with_attachments("Look!", given)

    assert len(text) < MOST_IN_ALL + 500
    assert text.count("[…]") == MOST_IN_ALL // MOST_CHARS
    assert "Mentioned: 4.py (not shown here: look at it with your tools)" in text
