from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.cache import in_memory
from mulligan.codecontext.vocabulary import kept_vocabulary, vocabulary_of

NAMES = st.sets(st.text(max_size=8))


@given(first=NAMES, more=NAMES)
def test_every_name_that_was_learned_is_known(first: set[str], more: set[str]) -> None:
    cache = in_memory()
    vocabulary_of([first]).keep(cache)
    before = kept_vocabulary(cache)
    assert before is not None
    before.learn(more, cache)
    after = kept_vocabulary(cache)
    cache.close()
    assert after is not None
    assert all(name in after for name in first | more)


def test_a_name_that_nobody_uses_is_not_known() -> None:
    assert "made_up" not in vocabulary_of([["parse"], ["read"]])
    assert "made_up" not in vocabulary_of([])


def test_before_anything_was_linked_there_is_none() -> None:
    cache = in_memory()
    assert kept_vocabulary(cache) is None
    cache.close()
