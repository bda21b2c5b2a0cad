"""The description of the API, and the page's types that are made from it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mulligan.server.app import make_app
from mulligan.server.errors import REFUSALS

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return make_app().openapi()


def operations(described: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    }


def test_every_operation_is_under_api_and_names_its_refusals(described: dict[str, Any]) -> None:
    assert len(operations(described)) > 30
    for name, operation in operations(described).items():
        assert " /api/" in name
        for status in REFUSALS:
            content = operation["responses"][str(status)]["content"]
            assert content["application/json"]["schema"]["$ref"].endswith("/Problem"), name


def test_every_operation_has_a_name_of_its_own(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(described).values()]
    assert len(names) == len(set(names))


def test_the_frames_are_described_too(described: dict[str, Any]) -> None:
    assert {"Envelope", "Hello", "Batch", "Pulse", "TurnEnd", "FilesChanged"} <= described["components"][
        "schemas"
    ].keys()


def test_the_description_can_be_written_to_a_file(described: dict[str, Any]) -> None:
    written = subprocess.run(
        [sys.executable, "-W", "error", "-m", "mulligan.server.openapi"], check=True, capture_output=True, text=True
    )
    assert json.loads(written.stdout) == json.loads(json.dumps(described))


def test_the_pages_types_are_those_of_the_api(described: dict[str, Any], tmp_path: Path) -> None:
    """If this fails: `make web-types`."""
    assert (WEB / "node_modules" / ".bin" / "openapi-typescript").exists(), (
        "the page's packages are missing: `make web`"
    )
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    made = tmp_path / "schema.ts"
    paths = {"openapi.json": str(tmp_path / "openapi.json"), "src/api/schema.ts": str(made)}
    script: str = json.loads((WEB / "package.json").read_text())["scripts"]["types"]
    program, *arguments = (paths.get(word, word) for word in script.split())
    subprocess.run([str(WEB / "node_modules" / ".bin" / program), *arguments], check=True, cwd=WEB, capture_output=True)
    assert made.read_text() == (WEB / "src" / "api" / "schema.ts").read_text()
