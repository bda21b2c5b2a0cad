"""Which files hold secrets: their content never reaches a model."""

from fnmatch import fnmatchcase

SECRET_FOLDERS = frozenset({".aws", ".gnupg", ".ssh"})

SECRET_FILES = (
    ".env*",
    "*.env",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".git-credentials",
    ".vault-token",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yml",
    "credentials.yaml",
    "client_secret*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
)

HARMLESS_FILES = ("*.pub", ".env*.example", ".env*.sample", ".env*.template", ".env*.dist")
"""Named like a secret, and made to be shared."""


def is_secret(relative_path: str) -> bool:
    """Whether a file of this name holds secrets, in any mix of upper and lower case."""
    folder, _, name = relative_path.casefold().rstrip("/").rpartition("/")
    return holds_secrets(folder) or (_matches(name, SECRET_FILES) and not _matches(name, HARMLESS_FILES))


def holds_secrets(folder: str) -> bool:
    """Whether everything below this folder is secret."""
    return not SECRET_FOLDERS.isdisjoint(folder.casefold().split("/"))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
