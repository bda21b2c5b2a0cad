"""Which files hold secrets, told by their names: their content never reaches a model."""

import re
from fnmatch import translate

SECRET_FOLDERS = (".aws", ".azure", ".gcloud", ".gnupg", ".password-store", ".ssh", ".config/gcloud")
"""Everything below them is secret."""

KEY_FILES = (
    "*.pem", "*.key", "*.ppk", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.jceks", "*.keystore", "*.keytab",
    "*.kdb", "*.kdbx", "*.ovpn", "*.tfstate", "*.publishsettings",
    ".git-credentials", ".htpasswd", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".vault-token", ".*_history",
)  # fmt: skip
"""Keys, stores of keys and what a program writes for itself: nobody makes a template of these."""

SETTING_FILES = (
    ".env", ".env.*", ".env-*", ".env_*", ".envrc", ".envrc.*", "*.env",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss", "id_ecdsa_sk", "id_ed25519_sk",
    "id_rsa[-_.]*", "id_dsa[-_.]*", "id_ecdsa[-_.]*", "id_ed25519[-_.]*",
    ".npmrc", ".pypirc", ".my.cnf", ".mylogin.cnf", ".authinfo", ".msmtprc", ".s3cfg", ".boto", "rclone.conf",
    ".dockercfg", ".dockerconfigjson", "kubeconfig", "*.kubeconfig",
    ".terraformrc", "terraform.rc", "credentials.tfrc.json", "terraform.tfvars", "terraform.tfvars.json",
    "*secret*.tfvars", "local.settings.json",
    "vault[-_]pass", "vault[-_]pass.*", "vault[-_]password*", ".vault[-_]pass*",
    "credentials", "credentials.json", "credentials.toml", "credentials.yml", "credentials.yaml", "credentials.ini",
    "application_default_credentials.json", "client_secret*.json", "*firebase-adminsdk*.json",
    "service[-_]account*.json", "serviceaccount*.json", "*[-_]service[-_]account.json",
    ".secrets", "secrets.json", "secrets.toml", "secrets.yml", "secrets.yaml", "secrets.ini",
    "*.secrets.json", "*.secrets.toml", "*.secrets.yml", "*.secrets.yaml",
)  # fmt: skip
"""Settings with secrets among them, as they lie on a machine."""

IN_FOLDERS = (".docker/config.json", ".kube/config", ".kube/config.*")
"""The same for names that say so only together with their folder's."""

HARMLESS = re.compile(r"(?:^|[._-])(?:example|sample|template|dist|tmpl|tpl|defaults?|schema)(?:[._-]|$)|\.pub$")
"""Named like settings with secrets, and made to be shared."""

CODE = (
    ".py", ".pyi", ".js", ".ts", ".tsx", ".jsx", ".go", ".rs", ".rb", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs",
    ".md", ".rst",
)  # fmt: skip
"""Code and documents, which may be about secrets. Most files are told by this alone."""

COPY = re.compile(
    r"(?:~|[._-](?:bak|old|orig|sw[op]|save|copy|backup|tmp|[0-9]{1,14})| copy(?: [0-9]{1,3})?| ?\([0-9]{1,3}\))$"
)
"""How the name of a copy ends. What it is a copy of stands before."""
MOST_COPIES = 4
"""Of copies of copies."""


def is_secret(relative_path: str) -> bool:
    """Whether a file of this name holds secrets, in any mix of upper and lower case; a copy of one does too."""
    path = relative_path.casefold().rstrip("/")
    folder, _, name = path.rpartition("/")
    if holds_secrets(folder):
        return True
    if name.endswith(CODE):
        return False
    names = _copied_names(name)
    if any(_KEYS.fullmatch(each) for each in names):
        return True
    if any(HARMLESS.search(each) for each in names):
        return False
    above = folder.rpartition("/")[2]
    return any(_SETTINGS.fullmatch(each) or _IN_FOLDERS.fullmatch(f"{above}/{each}") for each in names)


def holds_secrets(folder: str) -> bool:
    """Whether everything below this folder is secret."""
    return _FOLDERS.search(folder.casefold()) is not None


def _copied_names(name: str) -> list[str]:
    """The name, and what it is a copy of: `.netrc.bak`, `credentials (1).json`, `#.env#`, vim's `..env.swp`."""
    names = [name]
    for _ in range(MOST_COPIES):
        last = names[-1]
        stem, dot, extension = last.rpartition(".")
        shorter = COPY.sub("", last)
        if shorter == last and dot:
            shorter = COPY.sub("", stem) + dot + extension
        if shorter == last:
            break
        if last.startswith(".") and last.endswith((".swp", ".swo")):
            shorter = shorter[1:]
        names.append(shorter)
    return [*names, name.strip("#")] if name.startswith("#") else names


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


_KEYS = _any_of(KEY_FILES)
_SETTINGS = _any_of(SETTING_FILES)
_IN_FOLDERS = _any_of(IN_FOLDERS)
_FOLDERS = re.compile(rf"(?:^|/)(?:{'|'.join(map(re.escape, SECRET_FOLDERS))})(?:/|$)")
