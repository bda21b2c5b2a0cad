from pathlib import Path

import pytest

from tests.workspace.checkpoints.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty one, of a person without settings and without a name."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "gitconfig").write_text("[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    made = Repository(tmp_path / "work", home)
    made.root.mkdir()
    made.git("init", "-q")
    return made
