"""Which files of a project a file imports."""

import pytest

from mulligan.core.failures.project_paths import in_project
from mulligan.syntax.imports import imports_of
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.syntax.testfiles import namesakes

PYTHON = [
    "src/shop/__init__.py",
    "src/shop/cart.py",
    "src/shop/tax.py",
    "src/shop/deep/__init__.py",
    "src/shop/deep/rates.py",
    "tools/odd.py",
    "tests/test_cart.py",
    "tests/support.py",
]
SCRIPT = [
    "src/cart.ts",
    "src/tax/index.js",
    "src/view.tsx",
    "src/lib/money.ts",
    "test/cart.test.ts",
]
GO = [
    "cart/cart.go",
    "cart/page.go",
    "cart/cart_test.go",
    "tax/tax.go",
    "tax/tax_test.go",
    "main.go",
    "go.mod",
]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("tests/test_cart.py", "from shop.cart import total", ["src/shop/cart.py"], id="in a src folder"),
        pytest.param("tests/test_cart.py", "import shop.tax as t", ["src/shop/tax.py"], id="as a module"),
        pytest.param(
            "tests/test_cart.py",
            "from shop import cart, tax",
            ["src/shop/cart.py", "src/shop/tax.py", "src/shop/__init__.py"],
            id="modules out of a package",
        ),
        pytest.param("src/shop/cart.py", "from .tax import RATES", ["src/shop/tax.py"], id="beside it"),
        pytest.param("src/shop/deep/rates.py", "from ..tax import RATES", ["src/shop/tax.py"], id="a folder up"),
        pytest.param("tests/test_cart.py", "from support import tea", ["tests/support.py"], id="beside a script"),
        pytest.param("tests/test_cart.py", "import odd", ["tools/odd.py"], id="the only file of that name"),
        pytest.param("tests/test_cart.py", "import json, os.path", [], id="from elsewhere"),
        pytest.param("tests/test_cart.py", "from shop.cart import total\nx = (", ["src/shop/cart.py"], id="broken"),
    ],
)
def test_python_imports_are_found_in_the_project(path: str, text: str, expected: list[str]) -> None:
    assert imports_of(path, text.split("\n"), ProjectPaths(PYTHON)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("import { total } from '../src/cart';", ["src/cart.ts"], id="without its ending"),
        pytest.param("import { total } from '../src/cart.js';", ["src/cart.ts"], id="typescript named as javascript"),
        pytest.param("const { rate } = require('../src/tax')", ["src/tax/index.js"], id="a folder's index"),
        pytest.param("export * from '../src/view'", ["src/view.tsx"], id="passed on"),
        pytest.param("const m = await import('../src/cart.ts')", ["src/cart.ts"], id="while it runs"),
        pytest.param("import {\n  a,\n  b,\n} from\n  '../src/cart';", ["src/cart.ts"], id="over several lines"),
        pytest.param("import { m } from '@/lib/money';", ["src/lib/money.ts"], id="by an alias"),
        pytest.param("// import { total } from '../src/cart';", [], id="commented out"),
        pytest.param("import fs from 'node:fs';", [], id="from elsewhere"),
    ],
)
def test_script_imports_are_found_in_the_project(text: str, expected: list[str]) -> None:
    assert imports_of("test/cart.test.ts", text.split("\n"), ProjectPaths(SCRIPT)) == expected


def test_a_go_file_sees_its_package_and_the_packages_it_imports() -> None:
    text = 'package cart\n\nimport (\n\t"strings"\n\t"example.com/shop/tax"\n)\n'
    found = imports_of("cart/cart_test.go", text.split("\n"), ProjectPaths(GO))
    assert found == ["cart/cart.go", "cart/page.go", "tax/tax.go"]


@pytest.mark.parametrize(
    ("test", "paths", "expected"),
    [
        pytest.param(
            "tests/test_cart.py", ["a/b/cart.py", "cart.py", "cart.js"], ["cart.py", "a/b/cart.py"], id="python"
        ),
        pytest.param(
            "src/cart.test.ts", ["src/cart.ts", "cart.ts"], ["src/cart.ts", "cart.ts"], id="the nearest first"
        ),
        pytest.param(
            "src/test/java/CartTest.java", ["src/main/java/Cart.java"], ["src/main/java/Cart.java"], id="java"
        ),
        pytest.param("src/cart.py", ["lib/cart.py"], [], id="no test's name"),
    ],
)
def test_a_test_is_named_for_a_source(test: str, paths: list[str], expected: list[str]) -> None:
    assert namesakes(test, paths) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("cart/cart.go", "cart/cart.go", id="as it is"),
        pytest.param("/tmp/tree/cart/cart.go", "cart/cart.go", id="absolute"),  # noqa: S108  no file is made
        pytest.param("file:///work/tax/tax.go", "tax/tax.go", id="an address"),
        pytest.param("tax_test.go", "tax/tax_test.go", id="only its name"),
        pytest.param("/usr/lib/go/fmt/print.go", None, id="of the language"),
    ],
)
def test_a_printed_path_is_found_in_the_project(path: str, expected: str | None) -> None:
    assert in_project(path, GO) == expected


@pytest.mark.parametrize("near", ["b", "b/other_test.go", "example.com/shop/b"])
def test_of_equal_names_the_one_near_the_test_is_meant(near: str) -> None:
    assert in_project("util_test.go", ["a/util_test.go", "b/util_test.go"], near=near) == "b/util_test.go"
