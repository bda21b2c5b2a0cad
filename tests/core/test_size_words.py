import pytest

from mulligan.core.byte_sizes import format_size


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (491_400_064, "491 MB"), (1_117_320_768, "1.1 GB")],
)
def test_sizes_are_said_as_people_do(size: int, words: str) -> None:
    assert format_size(size) == words
