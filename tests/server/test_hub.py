"""Frames get numbers, are kept for a while, and reach every page once and in order, or the page is told."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.server.frames.envelopes import Envelope, Notice
from mulligan.server.frames.hub import FrameHub, FrameScope, Posted, Subscription
from mulligan.types.frames import ReasoningStreamed, TextStreamed

HERE = FrameScope("p", chat_id="c")
ALL = 1_000_000


def publish(hub: FrameHub, times: int = 1, place: FrameScope = HERE, text: str = "hello") -> None:
    for _ in range(times):
        hub.publish(Notice(text=text), place)


def taken(page: Subscription, most: int = ALL) -> list[int] | None:
    posted = page.take(most)
    return None if posted is None else [each.seq for each in posted]


def newest(hub: FrameHub) -> Posted:
    kept = hub.after(hub.seq - 1, ALL)
    assert kept
    return kept[0]


def test_numbers_rise_by_one() -> None:
    hub = FrameHub()
    assert [hub.publish(Notice(text=word), HERE).seq for word in "abc"] == [1, 2, 3]


def test_a_page_without_a_number_gets_what_comes() -> None:
    hub = FrameHub()
    publish(hub, 3)
    page = hub.subscribe(since=None, epoch=None)
    assert not page.due.is_set()
    publish(hub, 2)
    assert page.due.is_set()
    assert taken(page) == [4, 5]
    assert not page.due.is_set()


def test_a_page_that_comes_back_gets_what_it_missed_and_then_what_comes() -> None:
    hub = FrameHub()
    publish(hub, 5)
    page = hub.subscribe(since=2, epoch=hub.epoch)
    publish(hub)
    assert (page.resync, taken(page)) == (False, [3, 4, 5, 6])


def test_a_page_takes_in_portions() -> None:
    hub = FrameHub()
    page = hub.subscribe(since=0, epoch=hub.epoch)
    publish(hub, 5)
    assert [taken(page, 2), page.due.is_set(), taken(page, 2), taken(page, 2)] == [[1, 2], True, [3, 4], [5]]
    assert not page.due.is_set()


@pytest.mark.parametrize(
    ("since", "same_server", "resync"),
    [
        pytest.param(10, True, False, id="up to date"),
        pytest.param(6, True, False, id="the oldest that is kept comes next"),
        pytest.param(5, True, True, id="one is missing"),
        pytest.param(0, True, True, id="long away"),
        pytest.param(11, True, True, id="a number that was never given"),
        pytest.param(10, False, True, id="the server was started anew"),
    ],
)
def test_a_page_is_told_to_load_again_when_what_it_has_cannot_be_completed(
    since: int, same_server: bool, resync: bool
) -> None:
    hub = FrameHub(kept=4)
    publish(hub, 10)
    page = hub.subscribe(since=since, epoch=hub.epoch if same_server else "another")
    assert page.resync == resync
    assert taken(page) == ([] if resync else list(range(since + 1, 11)))
    publish(hub)
    assert taken(page) == [11]


def test_a_page_that_falls_behind_is_told_once_and_goes_on() -> None:
    hub = FrameHub(kept=4)
    page = hub.subscribe(since=None, epoch=None)
    publish(hub, 5)
    assert taken(page) is None
    publish(hub, 2)
    assert taken(page) == [6, 7]


def test_what_is_kept_has_a_size_as_well_as_a_number() -> None:
    hub = FrameHub(kept_characters=10_000)
    publish(hub, 30, text="x" * 1000)
    assert hub.after(hub.seq - 5, ALL) is not None
    assert hub.after(hub.seq - 15, ALL) is None


def test_one_frame_larger_than_all_that_may_be_kept_is_not_kept() -> None:
    hub = FrameHub(kept_characters=100)
    page = hub.subscribe(since=None, epoch=None)
    publish(hub, text="x" * 1000)
    assert taken(page) is None
    assert taken(page) == []


def test_a_page_that_left_is_forgotten() -> None:
    hub = FrameHub()
    page = hub.subscribe(since=None, epoch=None)
    hub.leave(page)
    publish(hub)
    assert not page.due.is_set()


def test_what_pages_get_is_the_envelope_as_json() -> None:
    hub = FrameHub()
    envelope = hub.publish(TextStreamed(message_id="m", text="ä\n"), FrameScope("p", "c", "r"))
    posted = newest(hub)
    assert Envelope.model_validate_json(posted.json) == envelope


def test_half_of_a_surrogate_pair_does_no_harm() -> None:
    hub = FrameHub()
    hub.open_live("c")
    publish(hub, text="a\ud800b")
    posted = newest(hub)
    assert json.loads(posted.json)["frame"]["text"] == "a<U+D800>b"
    (live,) = hub.live("c")
    assert live.model_dump_json() == posted.json


def test_live_frames_are_those_of_the_chat_since_its_work_began() -> None:
    hub = FrameHub()
    publish(hub)
    hub.open_live("c")
    publish(hub, 2)
    publish(hub, place=FrameScope("p", chat_id="another"))
    assert [each.seq for each in hub.live("c")] == [2, 3]
    hub.close_live("c")
    assert hub.live("c") == ()


def test_a_frame_of_a_run_and_its_chat_is_live_in_both_and_once_in_each() -> None:
    hub = FrameHub()
    for key in ("c", "r"):
        hub.open_live(key)
    publish(hub, place=FrameScope("p", chat_id="c", run_id="r"))
    assert [[each.seq for each in hub.live(key)] for key in ("c", "r")] == [[1], [1]]


def test_nothing_is_live_where_no_work_is_under_way() -> None:
    assert FrameHub().live("c") == ()


WHERE, WHAT = st.sampled_from(["m", "n"]), st.text(max_size=3)
FRAMES = st.one_of(
    st.builds(TextStreamed, message_id=WHERE, text=WHAT),
    st.builds(ReasoningStreamed, message_id=WHERE, text=WHAT),
    st.builds(Notice, text=st.just("between")),
)


@given(st.lists(FRAMES), st.sets(st.integers(0, 20)))
def test_live_text_is_joined_and_says_the_same(
    frames: list[TextStreamed | ReasoningStreamed | Notice], looked_at: set[int]
) -> None:
    hub = FrameHub()
    hub.open_live("c")
    for number, frame in enumerate(frames):
        hub.publish(frame, HERE)
        if number in looked_at:  # looking changes nothing
            hub.live("c")
    live = [each.frame for each in hub.live("c")]
    assert spelled(live) == spelled(frames)
    for left, right in pairwise(live):
        assert isinstance(left, Notice) or stream_of(left) != stream_of(right)
    numbers = [each.seq for each in hub.live("c")]
    assert numbers == sorted(set(numbers))
    assert not numbers or numbers[-1] == hub.seq


def stream_of(frame: object) -> tuple[str, str] | None:
    return (frame.type, frame.message_id) if isinstance(frame, TextStreamed | ReasoningStreamed) else None


def spelled(frames: Sequence[object]) -> list[tuple[tuple[str, str] | None, str]]:
    """Character by character, each with the stream that it belongs to."""
    letters: list[tuple[tuple[str, str] | None, str]] = []
    for frame in frames:
        assert isinstance(frame, TextStreamed | ReasoningStreamed | Notice)
        stream = stream_of(frame)
        letters += [(stream, letter) for letter in frame.text] if stream else [(None, frame.text)]
    return letters


@dataclass
class Reader:
    """A page as a browser has it: it knows the newest number and the server's epoch."""

    newest: int | None = None
    epoch: str = ""
    line: Subscription | None = None

    def come(self, hub: FrameHub) -> None:
        self.line = hub.subscribe(since=self.newest, epoch=self.epoch)
        if self.newest is None or self.line.resync:
            self.load(hub)
        self.epoch = hub.epoch

    def load(self, hub: FrameHub) -> None:
        """It has everything up to now, by other means."""
        self.newest = hub.seq

    def read(self, hub: FrameHub, most: int) -> None:
        if self.line is None:
            return
        posted = self.line.take(most)
        if posted is None:
            self.load(hub)
            return
        for each in posted:
            assert self.newest is not None
            assert each.seq == self.newest + 1, "each number once, and in order"
            self.newest = each.seq

    def go(self, hub: FrameHub) -> None:
        if self.line:
            hub.leave(self.line)
        self.line = None


ACTS = st.one_of(
    st.tuples(st.just("publish"), st.integers(1, 7)),
    st.tuples(st.sampled_from(["come", "go"]), st.integers(0, 2)),
    st.tuples(st.just("read"), st.integers(0, 2)),
    st.just(("restart", 0)),
)


@given(st.lists(ACTS, max_size=60), st.integers(1, 6), st.integers(1, 4))
def test_every_page_sees_each_number_once_in_order_or_is_told(
    acts: list[tuple[str, int]], kept: int, portion: int
) -> None:
    hub = FrameHub(kept=kept)
    readers = [Reader() for _ in range(3)]
    for act, number in acts:
        match act:
            case "publish":
                publish(hub, number)
            case "restart":
                for reader in readers:
                    reader.go(hub)
                hub = FrameHub(kept=kept)
            case "come":
                readers[number].go(hub)
                readers[number].come(hub)
            case "go":
                readers[number].go(hub)
            case _:
                readers[number].read(hub, portion)
    for reader in readers:
        while reader.line and reader.line.due.is_set():
            reader.read(hub, portion)
        assert reader.line is None or reader.newest == hub.seq, "nothing is held back"
