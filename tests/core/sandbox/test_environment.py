"""Which variables commands get."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.sandbox.environment import passed_environment

CASES = {
    "needed by builds": ("CFLAGS", "-O2", True),
    "search path": ("PATH", "/usr/bin", True),
    "mode of an application": ("NODE_ENV", "test", True),
    "locale": ("LC_ALL", "C", True),
    "certificates": ("SSL_CERT_FILE", "/etc/ssl/ca.pem", True),
    "proxy": ("https_proxy", "http://proxy.example:3128", True),
    "proxy with a login": ("https_proxy", "http://me:pass@proxy.example:3128", False),
    "index with a token for a name": ("PIP_INDEX_URL", "https://abcdef@example.org/simple", False),
    "unknown": ("MY_NAME", "value", False),
    "token of a known tool": ("CARGO_REGISTRY_TOKEN", "x", False),
    "password in a name": ("POETRY_HTTP_BASIC_ONE_PASSWORD", "x", False),
    "login of bundler": ("BUNDLE_GEMS__EXAMPLE__COM", "me:x", False),
    "setting of bundler": ("BUNDLE_PATH", "vendor", True),
    "build option of bundler": ("BUNDLE_BUILD__NOKOGIRI", "--use-system-libraries", True),
    "npm's login": ("npm_config_//registry.example/:_authToken", "x", False),
    "a key as a value": ("PYTHON_THING", "ghp_0123456789abcdefABCDEF", False),
    "Mulligan's own": ("MULLIGAN_API_KEY", "x", False),
    "agent": ("SSH_AUTH_SOCK", "/somewhere/agent", False),
    "start of every shell": ("BASH_ENV", "/somewhere/start", False),
    "preloaded": ("LD_PRELOAD", "/somewhere/evil.so", False),
}


@pytest.mark.parametrize(("name", "value", "passed"), CASES.values(), ids=CASES)
def test_a_variable(name: str, value: str, *, passed: bool) -> None:
    assert (name in passed_environment({name: value})) == passed


def test_what_a_user_names_passes_whatever_it_holds() -> None:
    assert passed_environment({"DATABASE_PASSWORD": "x"}, ["DATABASE_PASSWORD"]) == {"DATABASE_PASSWORD": "x"}


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=40)))
def test_nothing_is_invented_or_changed(environ: dict[str, str]) -> None:
    assert passed_environment(environ).items() <= environ.items()
