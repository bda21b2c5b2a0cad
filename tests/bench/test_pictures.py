from dataclasses import replace

from bench.pictures import drill_picture
from tests.cli.drill_samples import CYCLE, DRIFTED, END, FAULTS, SAME_CALL


def test_a_picture_of_a_drill_shows_rows_what_is_left_out_and_the_summary_of_all() -> None:
    third = replace(FAULTS[0], name="third", title="a third one")
    gallery = (*FAULTS[:2], third, FAULTS[2])
    outcomes = (SAME_CALL, CYCLE, SAME_CALL.model_copy(update={"name": "third"}), DRIFTED)
    svg = drill_picture(gallery, outcomes, END).replace("&#160;", " ")
    for words in (
        "the same call for ever",
        "two calls in turn",
        "… and 1 more",
        "an edit that misses",
        "3 of 3 faults",
    ):
        assert words in svg
    assert "a third one" not in svg


def test_a_picture_loads_nothing_from_elsewhere() -> None:
    svg = drill_picture(FAULTS, (SAME_CALL, CYCLE, DRIFTED), END)
    assert "@font-face" not in svg
    assert "url(http" not in svg
