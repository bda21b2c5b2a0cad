import pytest

from mulligan.core.secrets import holds_secrets, is_secret


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".ENV",
        ".env.local",
        ".env.production",
        ".envrc",
        "deploy/prod.env",
        "certs/server.pem",
        "certs/Server.KEY",
        "id_rsa",
        "id_dsa.old",
        "id_ecdsa",
        "keys/id_ed25519",
        ".netrc",
        "web/.npmrc",
        ".pypirc",
        "a.p12",
        "a.pfx",
        "android/release.keystore",
        "a.jks",
        "credentials",
        "config/credentials.json",
        ".aws/config",
        "home/.ssh/known_hosts",
        ".ssh/id_rsa.pub",
        ".gnupg/pubring.kbx",
        "secrets.yml",
        "k8s/secrets.yaml",
        "Secrets.json",
        "secrets.toml",
        ".git-credentials",
        ".htpasswd",
        ".pgpass",
        "client_secret_123.json",
    ],
)
def test_a_file_that_holds_secrets_is_known_by_its_name(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.local.example",
        ".env.dist",
        "id_rsa.pub",
        "keys/id_ed25519.pub",
        "env.py",
        "environment.yml",
        "src/keys.py",
        "monkey.py",
        "secrets.py",
        "docs/secrets.md",
        "credentials.py",
        "src/credentials/views.py",
        ".aws.md",
        "README.md",
        ".",
    ],
)
def test_an_ordinary_file_is_not_taken_for_a_secret(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.parametrize(
    ("folder", "secret"),
    [(".aws", True), ("home/.SSH/keys", True), (".", False), ("credentials", False)],
)
def test_only_some_folders_are_secret_as_a_whole(folder: str, secret: bool) -> None:
    assert holds_secrets(folder) is secret
