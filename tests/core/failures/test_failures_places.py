"""Where in the code an output points to."""

import pytest

from mulligan.core.failures import SourceLocation, locations_in
from tests.core.failures.recorded import output

CASES = [
    pytest.param("pytest_plain", [("tests/test_cart.py", 31), ("tests/test_cart.py", 7), ("cart.py", 13),
                                  ("tests/test_cart.py", 17), ("tests/test_cart.py", 22)], id="pytest"),
    pytest.param("pytest_short_tb", [("tests/test_cart.py", 31), ("tests/test_cart.py", 7), ("cart.py", 13),
                                     ("tests/test_cart.py", 17), ("tests/test_cart.py", 22)], id="pytest, short"),
    pytest.param("pytest_collection", [("tests/test_broken.py", 1)], id="pytest, collection"),
    pytest.param("pytest_segfault", [("/project/tests/test_die.py", 9)], id="a dump with the innermost frame first"),
    pytest.param("python_traceback", [("/project/cart.py", 13), ("/project/main.py", 5), ("/project/main.py", 7)],
                 id="python"),
    pytest.param("python_stdlib_traceback", [("/project/bad.py", 2)], id="python, through the standard library"),
    pytest.param("python_syntax", [("/project/syn.py", 1)], id="python, syntax"),
    pytest.param("node_uncaught", [("/project/src/cart.js", 9), ("/project/src/main.js", 4),
                                   ("/project/src/main.js", 7)], id="node, file URLs"),
    pytest.param("npm_jest", [("jest/cart.test.js", 5), ("src/cart.js", 9), ("jest/cart.test.js", 14)], id="jest"),
    pytest.param("npm_vitest", [("test/broken.test.js", 2), ("test/cart.test.js", 6), ("src/cart.js", 9),
                                ("test/cart.test.js", 15)], id="vitest in colour"),
    pytest.param("go_plain", [("cart_test.go", 9), ("cart_test.go", 24), ("cart_test.go", 25)], id="go"),
    pytest.param("go_panic", [("/project/loud/loud.go", 4), ("/project/loud/loud_test.go", 6)], id="go, panic"),
    pytest.param("cargo_test", [("src/lib.rs", 24), ("src/lib.rs", 15)], id="cargo, panic"),
    pytest.param("cargo_no_compile", [("src/lib.rs", 47), ("src/lib.rs", 43)], id="cargo, compile error"),
    pytest.param("tsc_plain", [("src/cart.ts", 2), ("src/cart.ts", 5), ("src/cart.ts", 6)], id="tsc"),
    pytest.param("tsc_pretty", [("src/cart.ts", 2), ("src/cart.ts", 5), ("src/cart.ts", 6)], id="tsc in colour"),
    pytest.param("mvn_test", [("shop/CartTest.java", 7), ("shop/CartTest.java", 9)], id="java"),
    pytest.param("mvn_compile", [("/project/src/main/java/shop/Cart.java", 7)], id="maven, compile error"),
    pytest.param("npm_lint", [("/project/src/cart.js", 8), ("/project/src/main.js", 4), ("/project/src/odd.js", 2),
                              ("/project/src/odd.js", 3), ("/project/src/odd.js", 4)], id="eslint"),
    pytest.param("rake_minitest", [("/project/test/cart_test.rb", 6), ("/project/test/cart_test.rb", 22),
                                   ("/project/lib/cart.rb", 11), ("/project/test/cart_test.rb", 14)], id="ruby"),
    pytest.param("rake_load", [("/project/test/broken_test.rb", 1)], id="ruby, through its own code"),
    pytest.param("phpunit_plain", [("/project/src/Cart.php", 19), ("/project/tests/CartTest.php", 22),
                                   ("/project/tests/CartTest.php", 12), ("/project/tests/CartTest.php", 28)],
                 id="php"),
    pytest.param("phpunit_broken", [("/project/tests/BrokenTest.php", 2)], id="php, through PHPUnit"),
    pytest.param("mix_plain", [("test/cart_test.exs", 7), ("test/cart_test.exs", 8), ("test/cart_test.exs", 16),
                               ("lib/cart.ex", 5), ("test/cart_test.exs", 17), ("test/cart_test.exs", 20),
                               ("test/cart_test.exs", 21)], id="elixir"),
    pytest.param("elixir_uncaught", [("app.exs", 1)], id="elixir, through its own code"),
    pytest.param("ctest_failure", [("/project/tests/cart_gtest.cpp", 6), ("/project/tests/total_test.c", 6)], id="c"),
    pytest.param("cmake_compile", [("/project/src/cart.c", 6)], id="cmake, compile error"),
    pytest.param("gradle_test", [("CartTest.java", 12), ("CartTest.java", 22)], id="gradle"),
    pytest.param("dotnet_test", [("/project/Shop.Tests/CartTests.cs", 12), ("/project/Shop/Cart.cs", 9),
                                 ("/project/Shop.Tests/CartTests.cs", 20)], id="dotnet"),
    pytest.param("bash_not_found", [], id="no file"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), CASES)
def test_places_are_told_innermost_first_and_once(name: str, expected: list[tuple[str, int]]) -> None:
    assert locations_in(output(name)) == tuple(SourceLocation(path, line) for path, line in expected)


@pytest.mark.parametrize(
    "line",
    [
        '  File "/venv/lib/python3.11/site-packages/x/y.py", line 3, in f',
        '  File "<frozen importlib._bootstrap>", line 3, in f',
        '  File "<string>", line 1, in <module>',
        "    at f (/project/node_modules/x/index.js:3:5)",
        "    at node:internal/main/run_main_module:28:49",
        "\t/usr/local/go/src/testing/testing.go:1396 +0x24e",
        "             at /rustc/59807616/library/core/src/panicking.rs:80:14",
        "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)",
        "\tat org.junit.jupiter.api.AssertEquals.fail(AssertEquals.java:7)",
        "see https://example.org:443/x for more, at 12:30:05",
    ],
)
def test_code_of_others_is_left_out(line: str) -> None:
    assert locations_in(line) == ()
