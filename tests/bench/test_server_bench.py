"""What the bench of the server counts, and that it runs."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from bench.harness import serving
from bench.streaming import Heard, Load, Missed, missed, stream
from tests.scripted_server import running


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        pytest.param([3, 4, 5, 6], Missed(0, 0), id="all there"),
        pytest.param([3, 4, 6], Missed(1, 0), id="one lost"),
        pytest.param([4, 5, 6], Missed(1, 0), id="the first lost"),
        pytest.param([3, 4, 5], Missed(1, 0), id="the last lost"),
        pytest.param([3, 4, 4, 5, 6], Missed(0, 1), id="one doubled"),
        pytest.param([3, 5, 4, 6], Missed(0, 1), id="out of order"),
        pytest.param([], Missed(4, 0), id="nothing"),
    ],
)
def test_what_is_lost_or_doubled_is_counted(numbers: list[int], expected: Missed) -> None:
    assert missed(numbers, 3, 6) == expected


def delta(seq: int, chat: str, text: str) -> dict[str, Any]:
    return {"seq": seq, "chat_id": chat, "frame": {"type": "text_delta", "text": text}}


def test_a_token_that_comes_in_two_pieces_is_heard_once_whole() -> None:
    heard = Heard()
    heard.take([delta(1, "a", "000001:2000000 000002:25"), delta(2, "b", "000001:1000000 ")], now=2.5)
    heard.take([delta(3, "a", "00000 ")], now=4.0)

    assert heard.tokens == {"a": [1, 2], "b": [1]}
    assert heard.ages == [0.5, 1.5, 1.5]
    assert heard.missed_frames(1, 4) == Missed(1, 0)


def test_a_chat_of_which_nothing_came_has_lost_all_its_tokens() -> None:
    load = Load(chats=3, rate=2, seconds=1)
    heard = Heard()
    words = itertools.chain.from_iterable((delta(0, chat, f"00000{n}:0 ") for n in (1, 2)) for chat in "ab")
    heard.take(words, now=0.0)

    assert heard.missed_tokens(load) == Missed(2, 0)


async def test_no_frame_is_lost_on_a_page_that_stays_or_comes_and_goes(tmp_path: Path) -> None:
    load = Load(chats=2, rate=50, seconds=2)
    with (
        running(load.script()) as model,
        serving(tmp_path, home=tmp_path / "home", base_url=model.base_url, model="scripted") as server,
    ):
        streamed = await stream(load, server, model.base_url)

    assert streamed.drops.drops > 0
    for page in (streamed.stays, streamed.drops):
        assert page.missed_frames(streamed.first, streamed.last) == Missed(0, 0)
        assert page.missed_tokens(load) == Missed(0, 0)
    assert streamed.bare.tokens == {"bare": list(range(1, load.tokens + 1))}
