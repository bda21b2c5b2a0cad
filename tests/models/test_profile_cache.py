from pathlib import Path

import pytest

from mulligan.models.known.discovery import offered_services
from mulligan.models.known.profiles import Choice, ProfileCache, Remembered
from mulligan.types.profiles import ModelProfile

PROFILE = ModelProfile(server="http://127.0.0.1:1/v1", model="qwen/2.5:7b", kind="ollama", context_length=4096)
CHOICE = Choice(base_url="http://127.0.0.1:1/v1", kind="ollama", model="m")


def test_a_profile_is_found_again_by_another_process(tmp_path: Path) -> None:
    ProfileCache(tmp_path).put(PROFILE)

    assert ProfileCache(tmp_path).get(PROFILE.server, PROFILE.model) == PROFILE


@pytest.mark.parametrize(
    ("server", "model"),
    [
        pytest.param(PROFILE.server, "other", id="another model"),
        pytest.param("http://127.0.0.1:2/v1", PROFILE.model, id="another server"),
    ],
)
def test_a_profile_is_of_one_server_and_model(tmp_path: Path, server: str, model: str) -> None:
    cache = ProfileCache(tmp_path)
    cache.put(PROFILE)

    assert cache.get(server, model) is None


def test_a_learnt_fact_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    cache = ProfileCache(tmp_path)
    cache.put(PROFILE)
    learnt = PROFILE.model_copy(update={"native_tools": False})
    cache.put(learnt)

    assert cache.get(PROFILE.server, PROFILE.model) == learnt
    assert len(list((tmp_path / "profiles").iterdir())) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"server": 7}', b"\xff\xfe", PROFILE.model_copy(update={"model": "x"}).model_dump_json().encode()],
)
def test_a_damaged_file_counts_as_none_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    cache = ProfileCache(tmp_path)
    cache.put(PROFILE)
    [file] = (tmp_path / "profiles").iterdir()
    file.write_bytes(content)

    assert cache.get(PROFILE.server, PROFILE.model) is None
    cache.put(PROFILE)
    assert cache.get(PROFILE.server, PROFILE.model) == PROFILE


def test_a_home_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    cache = ProfileCache(tmp_path / "home")

    cache.put(PROFILE)

    assert cache.get(PROFILE.server, PROFILE.model) is None


def test_a_draft_that_could_not_be_put_in_place_is_not_left_behind(tmp_path: Path) -> None:
    (tmp_path / "last-model.json").mkdir()

    Remembered(tmp_path).keep(CHOICE)

    assert [entry.name for entry in tmp_path.iterdir()] == ["last-model.json"]


def test_the_last_choice_is_remembered(tmp_path: Path) -> None:
    assert Remembered(tmp_path).get() is None
    Remembered(tmp_path).keep(CHOICE)
    newer = CHOICE.model_copy(update={"model": "n"})
    Remembered(tmp_path).keep(newer)

    assert Remembered(tmp_path).get() == newer


def test_services_are_offered_for_the_keys_at_hand() -> None:
    environ = {"GROQ_API_KEY": "secret", "OPENAI_API_KEY": " ", "PATH": "/bin"}

    [offer] = offered_services(environ)

    assert (offer.name, offer.base_url) == ("Groq", "https://api.groq.com/openai/v1")
    assert 'MULLIGAN_API_KEY="$GROQ_API_KEY"' in offer.how
    assert "secret" not in offer.how


def test_all_profiles_are_told_by_server_and_model_and_damaged_ones_are_not(tmp_path: Path) -> None:
    cache = ProfileCache(tmp_path)
    assert cache.all() == []
    profiles = [ModelProfile(server=server, model=model) for server in ("http://a", "http://b") for model in ("x", "y")]
    for profile in reversed(profiles):
        cache.put(profile)
    (tmp_path / "profiles" / "damaged.json").write_text("{")
    assert cache.all() == profiles
