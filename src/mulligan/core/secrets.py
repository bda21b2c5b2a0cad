"""Which files are secret, and what looks like a secret in a text."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import cache, cached_property
from typing import TypeVar

from mulligan.core.text_fields import map_texts
from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.base import Record
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen

SECRET_FOLDERS = (".aws", ".azure", ".gcloud", ".gnupg", ".password-store", ".ssh", ".config/gcloud")
"""Everything below them is secret."""

KEY_FILES = (
    "*.pem", "*.key", "*.ppk", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.jceks", "*.keystore", "*.keytab",
    "*.kdb", "*.kdbx", "*.ovpn", "*.tfstate", "*.publishsettings",
    ".git-credentials", ".htpasswd", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".vault-token", ".*_history",
)  # fmt: skip
"""Keys, key stores and files that programs write for themselves: nobody makes templates of these."""

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
"""Settings files that contain secrets."""

IN_FOLDERS = (".docker/config.json", ".kube/config", ".kube/config.*")
"""The same, for names that are only recognised together with their folder."""

HARMLESS = late_pattern(r"(?:^|[._-])(?:example|sample|template|dist|tmpl|tpl|defaults?|schema)(?:[._-]|$)|\.pub$")
"""Named like settings with secrets, but made to be shared."""

CODE = (
    ".py", ".pyi", ".js", ".ts", ".tsx", ".jsx", ".go", ".rs", ".rb", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs",
    ".md", ".rst",
)  # fmt: skip
"""Code and documents, which may be about secrets. Most files are recognised by this alone."""

COPY = late_pattern(
    r"(?:~|[._-](?:bak|old|orig|sw[op]|save|copy|backup|tmp|[0-9]{1,14})| copy(?: [0-9]{1,3})?| ?\([0-9]{1,3}\))$"
)
"""How the name of a copy ends, after the original's name."""
MAX_COPY_LEVELS = 4
"""Levels of copies of copies."""


def is_secret(relative_path: str) -> bool:
    """Whether a file with this name is secret, in any case; copies count too."""
    path = relative_path.casefold().rstrip("/")
    folder, _, name = path.rpartition("/")
    if holds_secrets(folder):
        return True
    if name.endswith(CODE):
        return False
    names = _copied_names(name)
    if any(_any_of(KEY_FILES).fullmatch(each) for each in names):
        return True
    if any(HARMLESS.search(each) for each in names):
        return False
    above = folder.rpartition("/")[2]
    settings, in_folders = _any_of(SETTING_FILES), _any_of(IN_FOLDERS)
    return any(settings.fullmatch(each) or in_folders.fullmatch(f"{above}/{each}") for each in names)


def holds_secrets(folder: str) -> bool:
    """Whether everything below this folder is secret."""
    return _FOLDERS.search(folder.casefold()) is not None


def _copied_names(name: str) -> list[str]:
    """The name, and the name it is a copy of: `.netrc.bak`, `credentials (1).json`, `#.env#`, vim's `..env.swp`."""
    names = [name]
    for _ in range(MAX_COPY_LEVELS):
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


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


_FOLDERS = late_pattern(rf"(?:^|/)(?:{'|'.join(map(re.escape, SECRET_FOLDERS))})(?:/|$)")


MIN_KNOWN_CHARS = 8
"""A shorter value occurs in too much text that is not secret."""

_MARK = late_pattern(r"\[masked: [A-Za-z][A-Za-z ]{1,30}\]")
_URL_PASSWORD = late_pattern(r"://[^/\s:@]{0,200}:([^/\s@]{1,200})@")

R = TypeVar("R", bound=Record)


@frozen
class Masked:
    text: str
    count: int
    """How many values were masked."""


class Mask:
    """Masks what looks like a secret, and known secret values anywhere."""

    def __init__(self, environ: Mapping[str, str] | None = None, keys: Iterable[str] = ()) -> None:
        """The values of variables with secret names are known, and so are keys, whatever they look like."""
        self._environ = dict(environ or {})
        self._keys = tuple(keys)

    def __call__(self, text: str) -> Masked:
        from mulligan.core.secret_shapes import without_shapes  # the first request is sent without them
        from mulligan.core.secret_words import without_assigned

        count = 0

        def put(kind: str) -> str:
            nonlocal count
            count += 1
            return f"[masked: {kind}]"

        for value in self._known:
            if value in text:
                count += text.count(value)
                text = text.replace(value, "[masked: key of this machine]")
        return Masked(without_assigned(without_shapes(text, put), put), count)

    @cached_property
    def _known(self) -> tuple[str, ...]:
        """Longest first: one may be part of another."""
        from mulligan.core.secret_words import is_real, names_a_secret

        found = set(self._keys)
        for name, value in self._environ.items():
            password = _URL_PASSWORD.search(value)
            found |= {value} if names_a_secret(name) and is_real(value) else set()
            found |= {password[1]} if password and is_real(password[1]) else set()
        return tuple(sorted((each for each in found if len(each) >= MIN_KNOWN_CHARS), key=len, reverse=True))


BY_LOOKS = Mask()
"""Knows no values, only forms."""


def mask_secrets(text: str) -> str:
    """The text with every key, token and password masked that its form or its name reveals."""
    return BY_LOOKS(text).text


def mask_record(record: R) -> R:
    """The same for every text in a record."""
    return map_texts(record, mask_secrets)


def masked_note(count: int) -> str:
    """For the model, if something was masked."""
    return "[1 value is masked.]" if count == 1 else f"[{count} values are masked.]"


def is_masked(text: str) -> bool:
    return _MARK.search(text) is not None


def refuse_masks(given: str, present: str = "") -> None:
    """Raises `CallRejected` for text that contains a mask, unless the text to be replaced contains the same."""
    for mark in dict.fromkeys(_MARK.findall(given)):
        if mark not in present:
            raise CallRejected(
                "exec_error",
                f"Nothing was written: {mark} stands for a value that you are not shown, and can't be part of an edit. "
                "Leave the lines with masked values as they are, and edit the lines around them.",
            )
