"""One turn at a time per chat."""

import pytest

from mulligan.backends.dispatcher import Dispatcher
from mulligan.types.errors import ChatBusy


def test_a_second_turn_in_a_chat_is_refused_with_words() -> None:
    dispatcher = Dispatcher()
    with (
        dispatcher.turn("c1", "goose"),
        pytest.raises(ChatBusy, match="chat c1 is being answered by goose: wait until it is done"),
        dispatcher.turn("c1", "qwen"),
    ):
        pass


def test_other_chats_go_on() -> None:
    dispatcher = Dispatcher()
    with dispatcher.turn("c1", "goose"), dispatcher.turn("c2", "goose"):
        pass


def test_a_chat_is_free_again_after_its_turn_however_it_ended() -> None:
    dispatcher = Dispatcher()
    with pytest.raises(RuntimeError), dispatcher.turn("c1", "goose"):
        raise RuntimeError
    with dispatcher.turn("c1", "goose"):
        pass
