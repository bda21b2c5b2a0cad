"""The environment of commands: what builds and tests need, by name, and nothing that looks like a secret."""

import re
from collections.abc import Iterable, Mapping

PASSED = frozenset({
    "AR", "CC", "CI", "COLUMNS", "CPATH", "CPP", "CXX", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "DEBUG", "GOARCH",
    "GOBIN", "GOCACHE", "GOEXPERIMENT", "GOFLAGS", "GOMODCACHE", "GOOS", "GOPATH", "GOPRIVATE", "GOPROXY", "GOROOT",
    "GOSUMDB", "GOTOOLCHAIN", "GOWORK", "HOME", "HOSTNAME", "INCLUDE", "JAVA_HOME", "LANG", "LANGUAGE", "LD",
    "LDLIBS", "LD_LIBRARY_PATH", "LIBRARY_PATH", "LINES", "LOGNAME", "M2_HOME", "MAKEFLAGS", "MAKELEVEL", "MANPATH",
    "NINJA_STATUS", "PATH", "PNPM_HOME", "SDKROOT", "SHELL", "SHLVL", "SOURCE_DATE_EPOCH", "SSL_CERT_DIR",
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "TERM", "TZ", "USER", "VIRTUAL_ENV", "VOLTA_HOME",
    "XDG_DATA_DIRS", "no_proxy", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY",
    "ALL_PROXY", "FLASK_APP",
})  # fmt: skip
"""Variables that commands get."""

PASSED_BEGINNINGS = (
    "ANDROID_", "ASAN_", "BUNDLE_", "CARGO_", "CGO_", "CMAKE_", "COMPOSER_", "CONDA_", "COVERAGE_", "CTEST_", "CUDA_",
    "DJANGO_", "DOTNET_", "GEM_", "GRADLE_", "HATCH_", "HYPOTHESIS_", "JDK_", "LC_", "MAVEN_", "MIX_", "MYPY", "NODE_",
    "NPM_CONFIG_", "NVM_", "OMP_", "PDM_", "PHP", "PIP_", "PKG_CONFIG", "POETRY_", "PYENV_", "PYTEST_", "PYTHON", "QT_",
    "RAILS_", "RBENV_", "RUBY", "RUFF_", "RUST", "SDKMAN_", "TOX_", "TSAN_", "UBSAN_", "UV_", "VITEST_", "YARN_",
    "npm_config_",
)  # fmt: skip
PASSED_ENDINGS = ("FLAGS", "_ENV")
"""`CFLAGS`, `NODE_ENV`, `APP_ENV`."""

SECRET_NAME = re.compile(
    r"""(?:^|_)(?:API_?)?(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|CREDS?|AUTH
        |COOKIES?|PAT|DSN|PRIVATE)(?:_|$)
        |(?:APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$
        |^(?:MULLIGAN|AWS|AZURE|GCP|GOOGLE|OPENAI|ANTHROPIC|VAULT|MYSQL)_
        |^BUNDLE_(?!BUILD__|LOCAL__)\w*__
        |^BASH_ENV$
        |DATABASE_URL|REDIS_URL|WEBHOOK|CONNECTION_STRING|ASKPASS""",
    re.VERBOSE | re.IGNORECASE,
)
"""Names of variables that hold secrets, or lead to them, although a build might use them."""

SECRET_VALUE = re.compile(
    r"://[^/\s@]{1,400}@|-----BEGIN [A-Z ]{0,40}PRIVATE KEY"
    r"|\b(?:sk|ghp|gho|glpat|npm|pypi|xox[abp])[-_]\w{16}"
)


def passed_environment(environ: Mapping[str, str], extra: Iterable[str] = ()) -> dict[str, str]:
    """The variables that a command gets. `extra` are names that the user added: they pass with any value."""
    wanted = frozenset(extra)
    return {
        name: value
        for name, value in environ.items()
        if name in wanted or (_is_known(name) and not SECRET_NAME.search(name) and not SECRET_VALUE.search(value))
    }


def _is_known(name: str) -> bool:
    return name in PASSED or name.startswith(PASSED_BEGINNINGS) or name.endswith(PASSED_ENDINGS)
