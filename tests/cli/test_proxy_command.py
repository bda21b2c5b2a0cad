"""`mulligan proxy` and `mulligan proxy setup`, as commands."""

import json
import tomllib
from pathlib import Path

import pytest

from mulligan.core.proxy.switches import GUARDS, read_switches
from mulligan.proxy.agent_setup import environment_of, setup_of, write_settings
from mulligan.types.errors import ConfigurationError

AGENTS = ("opencode", "goose", "claude-code", "codex", "qwen-code", "aider", "cline", "continue")


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_told_the_address(agent: str) -> None:
    words = setup_of(agent, "http://127.0.0.1:8484", "qwen").instructions()
    assert "http://127.0.0.1:8484" in words
    assert "qwen" in words


def test_codex_gets_toml_that_can_be_read() -> None:
    lines = setup_of("codex", "http://127.0.0.1:8484", "qwen").instructions()
    assert tomllib.loads(lines)["model_providers"]["mulligan"]["base_url"] == "http://127.0.0.1:8484/v1"


def test_settings_are_added_and_what_stands_there_is_kept(tmp_path: Path) -> None:
    file, wanted = tmp_path / "agent" / "opencode.json", setup_of("opencode", "http://127.0.0.1:8484", "qwen")
    file.parent.mkdir()
    file.write_text(json.dumps({"theme": "dark", "provider": {"mine": {"npm": "x"}}}))
    write_settings(file, wanted)
    write_settings(file, wanted)
    there = json.loads(file.read_text())
    assert (there["theme"], sorted(there["provider"])) == ("dark", ["mine", "mulligan"])


@pytest.mark.parametrize("content", ['{"provider": {"mulligan": {"npm": "mine"}}}', "// a comment\n{}", "[]"])
def test_a_file_that_would_have_to_be_changed_is_left_alone(tmp_path: Path, content: str) -> None:
    file = tmp_path / "opencode.json"
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=r"opencode\.json"):
        write_settings(file, setup_of("opencode", "http://127.0.0.1:8484", "qwen"))
    assert file.read_text() == content


@pytest.mark.parametrize("agent", ["opencode", "opencode-acp", "goose-run", "qwen", "claude", "aider"])
def test_an_agent_that_is_delegated_to_is_told_by_its_environment(agent: str) -> None:
    assert "http://127.0.0.1:9" in "".join(environment_of(agent, "http://127.0.0.1:9", "qwen").values())


def test_one_that_can_not_be_told_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="gemini"):
        environment_of("gemini", "http://127.0.0.1:9", "qwen")


def test_every_guard_is_explained() -> None:
    page = (Path(__file__).parents[2] / "docs/proxy.md").read_text(encoding="utf-8")
    assert [guard for guard in GUARDS if f"| `{guard}` |" not in page] == []


def test_what_can_not_be_switched_off_is_named() -> None:
    with pytest.raises(ValueError, match="lops"):
        read_switches(["goose:lops"])
