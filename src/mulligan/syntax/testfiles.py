"""Which files are tests, by their folders and names. Nothing else decides it."""

import re
from collections.abc import Collection
from functools import lru_cache

from mulligan.syntax.registry import language_of

TEST_FOLDERS = frozenset(
    {"tests", "test", "__tests__", "__test__", "__snapshots__", "__mocks__", "testdata", "test_data", "test-data",
     "e2e", "cypress", "unittests", "androidtest"}
)  # fmt: skip
TEST_FOLDER_END = re.compile(r".+[._-]tests?")
"""`unit_tests`, `api-test`, `Shop.Tests`."""
SPECIFICATION = (".md", ".rst", ".proto")
"""Files in a folder `spec` with one of these endings are specifications."""
OTHER_NAMES = re.compile(
    r"test_.*\.(?:ml|jl|nim|zig|exs|R|r|pl)|.+_tests?\.(?:dart|exs?|clj|ml|zig|erl)"
    r"|.+\.(?:test|spec)\.(?:dart|vue|svelte)|.+_spec\.cr"
    r"|.*(?:Tests?|TestCase)\.(?:kt|groovy|scala|fs|vb|swift|m|mm)|(?:.*[a-z]IT|Test[A-Z].*)\.kt"
    r"|.*Spec\.(?:scala|groovy|kt|hs)|.+\.(?:bats|feature|t)"
)
"""Tests in languages without a file in `languages/`."""
STORED_RESULT = re.compile(r".+\.(?:snap|ambr|approved\.\w+)")
_AFFIX = re.compile(r"^tests?_|_tests?$|[._-](?:test|spec)s?$|Tests?$|Spec$", re.IGNORECASE)


def is_test_file(path: str) -> bool:
    """A test, or something that belongs to tests."""
    folder, _, name = path.rpartition("/")
    where = _kind_of_folder(folder)
    if where == "spec":
        language = language_of(name)
        where = "test" if (language.spec_folders if language else not name.endswith(SPECIFICATION)) else ""
    return where == "test" or is_named_as_test(name) or STORED_RESULT.fullmatch(name) is not None


def is_named_as_test(name: str) -> bool:
    """A test by its own name, in any folder."""
    language = language_of(name)
    if language is None:
        return OTHER_NAMES.fullmatch(name) is not None
    return re.fullmatch(language.test_stems, name.rpartition(".")[0]) is not None


def namesakes(path: str, paths: Collection[str]) -> list[str]:
    """Files that a test is named after, the nearest first: `test_cart.py` is named after `cart.py`."""
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.rpartition(".")
    tested = _AFFIX.sub("", stem).lower()
    if not tested or tested == stem.lower():
        return []
    found = [each for each in paths if each.endswith(f".{ending}") and _stem(each).lower() == tested]
    return sorted(found, key=lambda each: (not each.startswith(f"{folder}/"), each.count("/"), each))


@lru_cache(maxsize=4096)
def _kind_of_folder(folder: str) -> str:
    """`test`; `spec` if the file's language decides; or empty."""
    parts = folder.lower().split("/")
    if any(part in TEST_FOLDERS or TEST_FOLDER_END.fullmatch(part) for part in parts):
        return "test"
    return "spec" if "spec" in parts or "specs" in parts else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
