"""Whether a user has to choose a model first, and what they are told about a download."""

import pytest

from mulligan.core.model_downloads import DownloadOffer, not_allowed_words, offer_words, refused_words
from mulligan.core.model_setup import SetupState, setup_state

OFFER = DownloadOffer("tiny", 1_100_000_000, 0, "/home/models", "/home/mulligan.toml", {11434: "Ollama"})


@pytest.mark.parametrize(
    ("usable", "models", "chosen", "state"),
    [
        pytest.param(False, 0, False, "missing", id="nothing answers"),
        pytest.param(False, 3, True, "missing", id="what was chosen does not answer"),
        pytest.param(True, 2, False, "choose", id="several, and nobody chose"),
        pytest.param(True, 2, True, "ready", id="several, and one was chosen"),
        pytest.param(True, 1, False, "ready", id="one, which needs no choice"),
        pytest.param(True, 0, False, "ready", id="an embedded one that is here"),
    ],
)
def test_the_state_of_the_setup(*, usable: bool, models: int, chosen: bool, state: SetupState) -> None:
    assert setup_state(usable=usable, models=models, chosen=chosen) == state


def test_an_offer_says_what_how_large_where_and_what_else() -> None:
    words = offer_words(OFFER)
    for each in ("tiny", "1.1 GB", "/home/models", "Ollama on port 11434", "--base-url"):
        assert each in words


def test_a_download_that_was_begun_says_what_is_here() -> None:
    begun = DownloadOffer("tiny", 1_100_000_000, 400_000_000, "/home/models", "/home/mulligan.toml", {})
    assert "400 MB of it here already" in offer_words(begun)


def test_where_nobody_said_yes_every_way_to_say_it_is_named() -> None:
    words = not_allowed_words(OFFER)
    for each in ("mulligan models pull tiny", "--yes", "MULLIGAN_DOWNLOADS=yes", 'downloads = "yes"', "--base-url"):
        assert each in words


def test_where_settings_rule_it_out_a_server_is_named() -> None:
    assert "--base-url http://127.0.0.1:11434/v1" in refused_words(OFFER)
