"""Keys, tokens and passwords are masked; what only resembles them stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.masking import masked, masked_record
from tests.fixing.run_states import a_command_run, a_run

GITHUB = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"push with {GITHUB} failed", "push with [masked] failed", id="GitHub"),
        pytest.param("key sk-proj-abc123def456ghi789!", "key [masked]!", id="OpenAI"),
        pytest.param("glpat-abcdefghij0123456789", "[masked]", id="GitLab"),
        pytest.param("AKIAIOSFODNN7EXAMPLE", "[masked]", id="AWS"),
        pytest.param("xoxb-1234567890-abcdef", "[masked]", id="Slack"),
        pytest.param("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3", "[masked]", id="a web token"),
        pytest.param("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked]", id="a header"),
        pytest.param("at postgres://me:s3cr3t@db/x", "at postgres://me:[masked]@db/x", id="a URL"),
        pytest.param("DB_PASSWORD=hunter22 PORT=1", "DB_PASSWORD=[masked] PORT=1", id="a variable"),
        pytest.param("DB_PASSWORD=p@ssword", "DB_PASSWORD=[masked]", id="a variable with an at sign"),
        pytest.param("API_KEY='abc def'", "API_KEY='abc def'", id="a value too short to be a key"),
        pytest.param(
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[masked]\nb", id="a key"
        ),
        pytest.param("-----BEGIN PRIVATE KEY-----\nMIIE", "[masked]", id="a key that was cut off"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "FAILED tests/test_token.py::test_token - assert token == 'abc'",
        "pip install sk-learn-some-long-name",
        "risk-assessment-2024-0001-final",
        "at http://127.0.0.1:8080/v1 and file:///a:b/c",
        "commit 9e250e0c1d2f3a4b5c6d7e8f90a1b2c3d4e5f607",
        "TOKEN = load_token()",
        "a bearer of bad news",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@given(st.text(alphabet="sk-ghp_eyJ.AIza:/@=TOKEN\n 09", max_size=300))
def test_masking_twice_is_masking_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)


@pytest.mark.parametrize("piece", ["eyJaaaaaaaaaaa-", "sk-", "://a:", "A_", "-----BEGIN PRIVATE KEY-----", "Bearer "])
def test_what_stands_behind_a_crafted_flood_is_still_found(piece: str) -> None:
    flood = piece * (1_000_000 // len(piece))
    assert GITHUB not in masked(f"{flood}\n{GITHUB}")


def test_every_text_of_a_record_is_masked() -> None:
    state = a_run(goal=f"use {GITHUB}", files=(GITHUB,), runs=(a_command_run(1, summary=GITHUB),))
    assert masked_record(state) == a_run(
        goal="use [masked]", files=("[masked]",), runs=(a_command_run(1, summary="[masked]"),)
    )
