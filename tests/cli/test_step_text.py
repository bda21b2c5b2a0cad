from mulligan.cli.views.step_text import StepText


def test_finished_blocks_are_taken_once() -> None:
    text = StepText()
    text.say("One.\n\nTwo.\n")
    assert text.take_blocks() == ["One.\n\n"]
    assert text.take_blocks() == []
    assert text.rest == "Two.\n"


def test_all_that_is_left_is_taken_at_the_end() -> None:
    text = StepText()
    text.say("One.\n\nTwo")
    assert text.take_all() == ["One.\n\n", "Two\n"]
    assert text.take_all() == []


def test_a_trim_that_begins_with_what_is_printed_goes_on_from_there() -> None:
    text = StepText()
    text.say("One.\n\nTwo.\nTwo.\nTwo.\n")
    text.take_blocks()
    assert text.trim("One.\n\nTwo.")
    assert text.take_all() == ["Two.\n"]


def test_a_trim_that_differs_from_what_is_printed_is_said_anew() -> None:
    text = StepText()
    text.say("One.\n\nTwo.\n")
    text.take_blocks()
    assert not text.trim("Other.")
    assert text.take_all() == ["Other.\n"]


def test_words_are_counted_whole_however_they_stream() -> None:
    text = StepText()
    for piece in ("let me th", "ink ab", "out it"):
        text.think(piece)
    assert text.take_thoughts() == 5
    assert text.take_thoughts() == 0
