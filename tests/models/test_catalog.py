import re

import pytest

from mulligan.models.embedded.catalog import HuggingFaceMirror, ModelEntry, PyPIMirror, find_entry, load_catalog
from mulligan.types.errors import ConfigurationError

ENTRIES = [pytest.param(entry, id=entry.name) for entry in load_catalog().entries]


def test_the_default_is_in_the_catalog() -> None:
    assert find_entry(load_catalog().default).name == "qwen2.5-coder-1.5b"


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_can_be_told_by_its_content(entry: ModelEntry) -> None:
    assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
    assert entry.memory > entry.size


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_file_name_is_no_path(entry: ModelEntry) -> None:
    assert re.fullmatch(r"[a-z0-9._-]+\.gguf", entry.file)


@pytest.mark.parametrize("entry", ENTRIES)
def test_hugging_face_comes_before_wheels(entry: ModelEntry) -> None:
    assert [type(mirror) for mirror in entry.mirrors] == [HuggingFaceMirror, PyPIMirror]


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_pieces_make_up_the_file(entry: ModelEntry) -> None:
    for mirror in entry.mirrors:
        if isinstance(mirror, PyPIMirror):
            assert (mirror.count - 1) * mirror.piece < entry.size <= mirror.count * mirror.piece


def test_a_piece_is_found_by_its_number() -> None:
    mirror = PyPIMirror(package="some-model-part{n}", version="1.0", count=12, piece=1)

    assert mirror.requirement(12) == "some-model-part12==1.0"
    assert mirror.member(3) == "some_model_part3/data/part03.bin"


@pytest.mark.parametrize("name", ["qwen2.5-coder-0.5b", "embedded:qwen2.5-coder-0.5b"])
def test_a_name_may_have_its_prefix(name: str) -> None:
    assert find_entry(name).name == "qwen2.5-coder-0.5b"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("embedded:qwen2.5-coder-1.5", "did you mean qwen2.5-coder-1.5b?", id="nearly"),
        pytest.param("QWEN2.5-Coder-0.5B", "did you mean qwen2.5-coder-0.5b?", id="wrong case"),
        pytest.param("zzz", "there are: qwen2.5-coder-1.5b, qwen2.5-coder-0.5b", id="nothing like it"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_entry(name)

    assert hint in str(caught.value)
