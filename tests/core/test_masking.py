"""Keys, tokens and passwords are masked; ordinary code, and what only stands for a value, is not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mulligan.core.secrets import Mask, is_masked, mask_record, mask_secrets, refuse_masks
from mulligan.types.errors import CallRejected
from tests.fixing.run_states import a_command_run, a_run

GITHUB = "ghp_" + "a1B2" * 9
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzTOPSECRET"[:40]
KEY_LINES = ("MIIEpAIBAAKCAQEA" * 4, "q83vEjRWeJq83vEj" * 4, "q83vEg==")


def pem(*, indent: str = "", numbered: bool = False) -> str:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----"]
    return "\n".join(f"{number:>3}: {line}" if numbered else indent + line for number, line in enumerate(lines, 7))


MASKED = [
    pytest.param(f"push with {GITHUB} failed", "push with [masked: GitHub token] failed", id="GitHub"),
    pytest.param("github_pat_11ABCDEFG0aB3cD4eF5_gH6iJ7", "[masked: GitHub token]", id="GitHub, fine-grained"),
    pytest.param("key sk-proj-abc123def456ghi789!", "key [masked: API key]!", id="OpenAI"),
    pytest.param("sk-ant-api03-Ab1Cd2Ef3Gh4Ij5Kl6", "[masked: API key]", id="Anthropic"),
    pytest.param("glpat-abcdefghij0123456789", "[masked: GitLab token]", id="GitLab"),
    pytest.param("AKIAIOSFODNN7EXAMPLE", "[masked: AWS key id]", id="AWS"),
    pytest.param(
        f"AKIAIOSFODNN7EXAMPLE {AWS_SECRET}", "[masked: AWS key id] [masked: AWS secret key]", id="AWS, with its secret"
    ),
    pytest.param("xoxb-1234567890-abcdef", "[masked: Slack token]", id="Slack"),
    pytest.param("AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "[masked: Google key]", id="Google"),
    pytest.param("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[masked: Stripe key]", id="Stripe"),
    pytest.param("npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "[masked: npm token]", id="npm"),
    pytest.param("pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTkwYWI", "[masked: PyPI token]", id="PyPI"),
    pytest.param("hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345", "[masked: Hugging Face token]", id="Hugging Face"),
    pytest.param(
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3", "[masked: web token]", id="a web token"
    ),
    pytest.param(
        "Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked: credentials]", id="a header"
    ),
    pytest.param("Authorization: Basic dXNlcjpodW50ZXIy", "Authorization: Basic [masked: credentials]", id="basic"),
    pytest.param("at postgres://me:s3cr3t@db/x", "at postgres://me:[masked: password]@db/x", id="a URL"),
    pytest.param("DB_PASSWORD=hunter22 PORT=1", "DB_PASSWORD=[masked: password] PORT=1", id="a variable"),
    pytest.param("DB_PASSWORD=p@ssword", "DB_PASSWORD=[masked: password]", id="a variable with an at sign"),
    pytest.param("export API_TOKEN='a1b2c3d4e5'", "export API_TOKEN='[masked: secret]'", id="a quoted variable"),
    pytest.param('"password": "hunter22",', '"password": "[masked: password]",', id="JSON"),
    pytest.param('{\\"api_key\\": \\"a1b2c3d4e5f6g7\\"}', '{\\"api_key\\": \\"[masked: secret]\\"}', id="JSON in JSON"),
    pytest.param("  password: hunter22\n", "  password: [masked: password]\n", id="YAML"),
    pytest.param("password = hunter22", "password = [masked: password]", id="INI"),
    pytest.param("spring.datasource.password=s3cretX9", "spring.datasource.password=[masked: password]", id="Java"),
    pytest.param("define('DB_PASSWORD', 'x9!kfjw2');", "define('DB_PASSWORD', '[masked: password]');", id="PHP"),
    pytest.param("<password>x9kfjw2q</password>", "<password>[masked: password]</password>", id="XML"),
    pytest.param('token: str = "a1b2c3d4e5f6"', 'token: str = "[masked: secret]"', id="code with a type"),
    pytest.param('os.environ["API_KEY"] = "a1b2c3d4e5f6"', 'os.environ["API_KEY"] = "[masked: secret]"', id="code"),
    pytest.param("?token=1&api_key=a1b2c3d4e5f6g7h8", "?token=1&api_key=[masked: secret]", id="the second of a URL"),
    pytest.param("curl --password x9kfjw22q3", "curl --password [masked: password]", id="a flag"),
    pytest.param("./a.py:3:DB_PASSWORD = 'x9kfjw2q'", "./a.py:3:DB_PASSWORD = '[masked: password]'", id="grep"),
]  # fmt: skip

STAYS = [
    "FAILED tests/test_token.py::test_token - assert token == 'abc'",
    "pip install sk-learn-some-long-name",
    ".sk-fading-circle12 { color: red }",
    "risk-assessment-2024-0001-final",
    "at http://127.0.0.1:8080/v1 and file:///a:b/c",
    "postgres://postgres:postgres@localhost/x and amqp://user:password@host",
    "https://$USER:$PASSWORD@host/ https://{user}:{password}@host",
    "commit 9e250e0c1d2f3a4b5c6d7e8f90a1b2c3d4e5f607",
    "TOKEN = load_token()",
    "a bearer of bad news",
    "password = os.environ['DB_PASSWORD']",
    "api_key = settings.api_key",
    "PASSWORD=$OTHER_PASSWORD",
    "PASSWORD=${DB_PASSWORD:-}",
    "password: {{ vault_password }}",
    "password: changeme",
    "API_KEY=<your key>",
    "API_KEY=your-api-key-here",
    "API_KEY=xxxxxxxxxxxxxxxx",
    'password = ""',
    "password: str | None = None",
    "def login(user: str, password: str, token: Token2) -> None:",
    'token: "string?"',
    'PASSWORD_FIELD = "password_input_1"',
    'TOKEN_URL = "https://example.com/oauth2/token"',
    'secret_name = "projects/1/secrets/db"',
    'error = "the password must have 8 letters"',
    "tokens = tokenizer.encode(text2)",
    'tokenizer = "gpt2-medium-2024"',
    "if token == Token.NAME2:",
    'parser.add_argument("--token", help="abc123")',
    'eos_token = "<|endoftext|>"',
    "cache_key = 'user:a1b2c3d4e5f6'",
    'if "-----BEGIN PRIVATE KEY-----" in text:',
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "FROM alpine:3.18@sha256:0123456789abcdef",
    "API_KEY='abc def'",
]


@pytest.mark.parametrize(("text", "expected"), MASKED)
def test_what_looks_like_a_secret_is_masked(text: str, expected: str) -> None:
    assert mask_secrets(text) == expected


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_secrets(text) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(pem(), id="as it is"),
        pytest.param(pem(indent="    "), id="in YAML"),
        pytest.param(pem(numbered=True), id="of a file with line numbers"),
        pytest.param(pem(indent="src/keys.py:12:"), id="of a search"),
        pytest.param(pem(indent="+"), id="of a diff"),
        pytest.param(pem().replace("\n", "\\n"), id="in a JSON string"),
        pytest.param(pem().partition("\n")[2], id="without its beginning"),
        pytest.param(pem().rpartition("\n")[0], id="without its end"),
    ],
)
def test_a_private_key_is_masked_line_by_line(text: str) -> None:
    shown = Mask()(f"before\n{text}\nafter = 'a line of code'")
    assert not any(line[:16] in shown.text for line in KEY_LINES[:2])
    assert len(shown.text.split("\n")) == len(text.split("\n")) + 2
    assert shown.text.startswith("before\n")
    assert shown.text.endswith("\nafter = 'a line of code'")
    assert shown.count == 1


@given(st.text(alphabet="sk-ghp_eyJ.AIza:/@=TOKEN\n 09", max_size=300))
@example("TOKEN=a1B2c3D4e5 password='x9kfjw2q'")
def test_masking_twice_is_masking_once(text: str) -> None:
    assert mask_secrets(mask_secrets(text)) == mask_secrets(text)


@given(st.text(alphabet=st.characters(exclude_characters=":=>,-_."), max_size=400))
def test_text_without_any_shape_is_unchanged(text: str) -> None:
    """No rule is met without one of these signs, but for tokens of one word."""
    assert mask_secrets(text) == text or any(each in text for each in ("AKIA", "ASIA", "AIza", "dapi", "earer"))


@given(st.lists(st.sampled_from([pem(), GITHUB, "password: 'x9kfjw2q'", "İ", "\r\n", "token=", '"', "\\", " a "])))
def test_secrets_among_anything_are_never_shown_and_lines_stay(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    shown = mask_secrets(text)
    assert GITHUB not in shown
    assert KEY_LINES[1] not in shown
    assert shown.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "piece",
    ["eyJaaaaaaaaaaa-", "sk-", "://a:", "A_", "-----BEGIN PRIVATE KEY-----", "Bearer ", "token=", "PASSWORD:", "AKIA",
     "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "a\n-----END PRIVATE KEY-----\n", "pwd='a1"],
)  # fmt: skip
def test_what_stands_behind_a_crafted_flood_is_still_found(piece: str) -> None:
    flood = piece * (200_000 // len(piece))
    assert GITHUB not in mask_secrets(f"{flood}\n{GITHUB}")


def test_known_values_are_masked_wherever_they_stand() -> None:
    environ = {
        "SHOP_TOKEN": "zebra-9-cloud!",
        "DATABASE_URL": "postgres://me:blue9horse@db/x",
        "AUTH_TOKEN": "disabled",
        "HOME": "/home/some-1-body",
        "PGPASSWORD": "short1",
    }
    shown = Mask(environ, ["correct horse"])(
        "zebra-9-cloud! /home/some-1-body disabled short1 correct horse blue9horse"
    )
    assert shown.text == (
        "[masked: key of this machine] /home/some-1-body disabled short1 [masked: key of this machine] "
        "[masked: key of this machine]"
    )
    assert shown.count == 3


def test_every_text_of_a_record_is_masked() -> None:
    state = a_run(goal=f"use {GITHUB}", files=(GITHUB,), runs=(a_command_run(1, summary=GITHUB),))
    mask = "[masked: GitHub token]"
    assert mask_record(state) == a_run(goal=f"use {mask}", files=(mask,), runs=(a_command_run(1, summary=mask),))


def test_text_with_a_mask_is_refused_unless_the_file_itself_holds_these_words() -> None:
    text = mask_secrets(f"token is {GITHUB}")
    assert is_masked(text)
    with pytest.raises(CallRejected, match=r"\[masked: GitHub token\] stands for a value that you are not shown"):
        refuse_masks(text, f"token is {GITHUB}")
    refuse_masks(text, text)
    refuse_masks("[masked] and masked: nothing")
