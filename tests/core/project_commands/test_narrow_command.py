"""Commands for a few tests only."""

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.project_commands import narrow
from mulligan.core.project_commands.narrow import MAX_TESTS
from mulligan.types.fixing import FailingTest
from tests.examples import examples


def failing(test_id: str, *, path: str | None = None, name: str = "") -> FailingTest:
    """`name` where it is not the last of the titles."""
    return FailingTest(id=test_id, name=name or test_id.rsplit(" > ", maxsplit=1)[-1], path=path)


PYTEST = "tests/test_a.py::TestX::test_y[a b]"
DOTTED = "tests.test_a.TestX.test_y"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("pytest", f"pytest '{PYTEST}'", id="bare"),
        pytest.param("python3 -m pytest -q", f"python3 -m pytest '{PYTEST}' -q", id="as-a-module"),
        pytest.param(".venv/bin/pytest", f".venv/bin/pytest '{PYTEST}'", id="by-a-path"),
        pytest.param("uv run pytest -x", f"uv run pytest '{PYTEST}' -x", id="through-a-wrapper"),
        pytest.param("cd api && pytest", f"cd api && pytest '{PYTEST}'", id="in-a-folder"),
        pytest.param(
            'PYTHONPATH="$PWD/src:$PYTHONPATH" python3 -m pytest',
            f"PYTHONPATH=\"$PWD/src:$PYTHONPATH\" python3 -m pytest '{PYTEST}'",
            id="with-a-variable",
        ),
        pytest.param("pytest tests/ -q other", f"pytest '{PYTEST}' -q", id="paths-are-replaced"),
        pytest.param("pytest -k 'a or b' -n 4", f"pytest '{PYTEST}' -k 'a or b' -n 4", id="values-are-kept"),
        pytest.param("pytest --strange tests", None, id="an-option-that-may-take-a-value"),
        pytest.param("pytest | tee log", None, id="a-pipe"),
        pytest.param("pytest; true", None, id="two-commands"),
        pytest.param("pytest && ruff check", None, id="something-behind-it"),
        pytest.param("pytest $WHICH", None, id="words-known-only-later"),
        pytest.param("pytest 'open", None, id="a-quote-left-open"),
        pytest.param("make test", None, id="make"),
        pytest.param("npm test", None, id="a-script-of-an-unknown-runner"),
        pytest.param("ruff check", None, id="a-linter"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_pytest_is_narrowed_by_node_ids(command: str, expected: str | None) -> None:
    assert narrow(command, [failing(PYTEST)]) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("python3 -m unittest", f"python3 -m unittest {DOTTED}", id="bare"),
        pytest.param("python -m unittest discover", f"python -m unittest {DOTTED}", id="discover"),
        pytest.param("python -m unittest discover -s tests -t .", f"python -m unittest {DOTTED}", id="a-package"),
        pytest.param(
            "python -m unittest discover -v -s tests",
            f'PYTHONPATH="$PWD"/tests:"$PYTHONPATH" python -m unittest -v {DOTTED}',
            id="a-plain-folder",
        ),
        pytest.param(
            "cd 'a b' && python -m unittest discover 'my tests' '*_test.py'",
            f"cd 'a b' && PYTHONPATH=\"$PWD\"/'my tests':\"$PYTHONPATH\" python -m unittest {DOTTED}",
            id="folders-with-spaces",
        ),
        pytest.param("python -m unittest tests.test_b -b", f"python -m unittest -b {DOTTED}", id="names-are-replaced"),
        pytest.param("python -m unittest -k fast", None, id="a-pattern"),
        pytest.param("python3 manage.py test", f"python3 manage.py test {DOTTED}", id="django"),
        pytest.param(
            "python3 manage.py test shop --keepdb", f"python3 manage.py test {DOTTED} --keepdb", id="django-labels"
        ),
        pytest.param("python3 manage.py check", None, id="another-command-of-django"),
        pytest.param("python3 tests/unittest.py", None, id="a-file-of-that-name"),
    ],
)
def test_unittest_is_narrowed_by_dotted_names(command: str, expected: str | None) -> None:
    assert narrow(command, [failing(DOTTED)]) == expected


@pytest.mark.parametrize(
    ("test_id", "name"),
    [
        pytest.param("tests.test_a.TestX.test_y (i=3)", "tests.test_a.TestX.test_y", id="a-subtest"),
        pytest.param("tests.test_a.TestX.test_y [third] (i=3)", "tests.test_a.TestX.test_y", id="a-named-subtest"),
        pytest.param("unittest.loader._FailedTest.tests.test_a", "tests.test_a", id="a-module-that-does-not-import"),
        pytest.param("tests.test_a.TestX.setUpClass", "tests.test_a.TestX", id="a-class-that-is-not-set-up"),
    ],
)
def test_unittest_runs_what_stands_behind_a_name_of_its_own(test_id: str, name: str) -> None:
    assert narrow("python3 -m unittest", [failing(test_id)]) == f"python3 -m unittest {name}"


@pytest.mark.parametrize(
    ("command", "tests", "expected"),
    [
        pytest.param("go test ./...", [failing("TestA")], "go test -run '^TestA$' ./...", id="one"),
        pytest.param(
            "cd api && go test -v ./...",
            [failing("shop/cart.TestA", name="TestA"), failing("shop/cart.TestB", name="TestB")],
            "cd api && go test -run '^(TestA|TestB)$' -v shop/cart",
            id="two-of-a-package",
        ),
        pytest.param(
            "go test ./cart",
            [failing("example.com/shop/cart.TestA/x", name="TestA/x")],
            "go test -run '^TestA$/^x$' ./cart",
            id="a-package-that-the-command-names",
        ),
        pytest.param(
            "go test ./...",
            [failing("TestA", path="cart_test.go")],
            "go test -run '^TestA$' ./...",
            id="a-file-of-an-unknown-package",
        ),
        pytest.param(
            "go test ./...",
            [failing("TestA/x+y"), failing("TestA/z")],
            "go test -run '^TestA$/^(x\\+y|z)$' ./...",
            id="subtests-of-one-test",
        ),
        pytest.param(
            "go test ./...",
            [failing("TestA"), failing("TestA/x"), failing("TestB/y")],
            "go test -run '^(TestA|TestB)$' ./...",
            id="subtests-of-several",
        ),
        pytest.param("go test -run X ./...", [failing("TestA")], None, id="narrowed-already"),
        pytest.param("go test ./...", [failing("cart.go")], None, id="not-a-test"),
        pytest.param("go vet ./...", [failing("TestA")], None, id="another-command-of-go"),
        pytest.param(
            "cargo test --workspace -p shop",
            [failing("cart::tests::adds"), failing("it_works")],
            "cargo test --workspace -p shop -- --exact cart::tests::adds it_works",
            id="cargo",
        ),
        pytest.param("cargo test cart", [failing("a::b")], None, id="cargo-narrowed-already"),
        pytest.param("cargo test -- --nocapture", [failing("a::b")], None, id="cargo-with-options-of-tests"),
        pytest.param("cargo test", [failing("src/lib.rs - add (line 3)")], None, id="a-test-in-documentation"),
    ],
)
def test_go_and_cargo_are_narrowed_by_names(command: str, tests: list[FailingTest], expected: str | None) -> None:
    assert narrow(command, tests) == expected


CMAKE = "cmake -S . -B build && cmake --build build && ctest --test-dir build"
PHP = failing(r"Shop\CartTest::testA", name="testA")
MINITEST = failing("CartTest#test_a", name="test_a")
JUNIT = [failing(f"shop.CartTest.{name}", name=name) for name in ("adds", "totals(int)[1]")]


@pytest.mark.parametrize(
    ("command", "tests", "expected"),
    [
        pytest.param("bundle exec rspec", [failing("Cart#total adds")],
                     "bundle exec rspec '--example=Cart#total adds'", id="rspec"),
        pytest.param("rspec spec/a_spec.rb:3", [failing("Cart adds")], None, id="rspec-narrowed-already"),
        pytest.param("rspec", [failing("spec/a_spec.rb", path="spec/a_spec.rb")], None, id="a-file-not-loaded"),
        pytest.param("bin/rails test", [MINITEST], "bin/rails test '--name=/^(?:(?:CartTest#)?test_a)$/'", id="rails"),
        pytest.param("rake test", [MINITEST],
                     """rake test 'TESTOPTS='"'"'--name=/^(?:(?:CartTest#)?test_a)$/'"'"''""", id="rake"),
        pytest.param("rake spec", [MINITEST], None, id="another-task-of-rake"),
        pytest.param("vendor/bin/phpunit", [PHP], r"vendor/bin/phpunit '--filter=/(?:Shop\\CartTest::testA(?: |$))/'",
                     id="phpunit"),
        pytest.param("php artisan test", [failing(r"Tests\Unit\CartTest > adds")],
                     "php artisan test '--filter=/(?:CartTest::)/'", id="laravel-by-class"),
        pytest.param("./mvnw -B test", JUNIT,
                     "./mvnw -B test '-Dtest=CartTest#adds+totals' -DfailIfNoTests=false "
                     "-Dsurefire.failIfNoSpecifiedTests=false", id="maven"),
        pytest.param("./gradlew test --continue", JUNIT,
                     "./gradlew test --tests=shop.CartTest.adds --tests=shop.CartTest.totals --continue", id="gradle"),
        pytest.param("dotnet test", [failing("Shop.CartTests.Adds(a: 1)", name="Adds(a: 1)")],
                     "dotnet test '--filter=FullyQualifiedName~Shop.CartTests.Adds'", id="dotnet"),
        pytest.param(CMAKE, [failing("Cart.Adds"), failing("total")], f"{CMAKE} -R '^(Cart\\.Adds|total)$'",
                     id="ctest"),
        pytest.param("mix test", [failing("CartTest: test adds all", name="test adds all")],
                     "mix test '--only=test:test adds all'", id="mix"),
        pytest.param("mix test test/a_test.exs:3", [failing("A: test b", name="test b")], None,
                     id="mix-narrowed-already"),
        pytest.param("swift test", [failing("CartTests.testA", name="testA"), failing("adds()")],
                     "swift test --filter=CartTests/testA --filter=adds", id="swift"),
    ],
)  # fmt: skip
def test_other_runners_are_narrowed_by_an_option(command: str, tests: list[FailingTest], expected: str | None) -> None:
    assert narrow(command, tests) == expected


@pytest.mark.parametrize("command", ["rspec", "rake test", "phpunit", "mvn test", "dotnet test", "ctest", "mix test"])
@given(names=st.lists(st.text(min_size=1).filter(lambda name: "\n" not in name and "\0" not in name), min_size=1))
@settings(max_examples=examples(30))
def test_whatever_tests_are_called_nothing_but_words_is_added_to_the_command(command: str, names: list[str]) -> None:
    narrowed = narrow(command, [FailingTest(id=f"x.{name}", name=name) for name in names])

    assert narrowed is not None
    words, before = shlex.split(narrowed), command.split()
    assert words[: len(before)] == before
    assert all(
        word.startswith(("--example=", "TESTOPTS=", "--filter=", "-D", "--only=", "-R", "^("))
        for word in words[len(before) :]
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("node --test", "node --test '--test-name-pattern=^(?:adds \\(2\\))$'", id="node"),
        pytest.param(
            "node --test test/", "node --test '--test-name-pattern=^(?:adds \\(2\\))$' test/", id="node-with-a-folder"
        ),
        pytest.param(
            "npm test -- --run",
            "npm test -- --run src/cart.test.js -t '^(?:cart (?:> )?adds \\(2\\))$'",
            id="vitest-through-npm",
        ),
        pytest.param(
            "pnpm test --run", "pnpm test --run src/cart.test.js -t '^(?:cart (?:> )?adds \\(2\\))$'", id="through-pnpm"
        ),
        pytest.param(
            "cd src && npx --no-install vitest run",
            "cd src && npx --no-install vitest run cart.test.js -t '^(?:cart (?:> )?adds \\(2\\))$'",
            id="vitest-in-a-folder",
        ),
        pytest.param(
            "npm test -- --ci",
            "npm test -- --ci 'src\\/cart\\.test\\.js' -t '^(?:cart (?:> )?adds \\(2\\))$'",
            id="jest-through-npm",
        ),
        pytest.param("vitest", None, id="vitest-that-would-watch"),
        pytest.param("npx jest -t cart", None, id="narrowed-already"),
        pytest.param("node --test --test-name-pattern=x", None, id="node-narrowed-already"),
        pytest.param("node app.js", None, id="not-a-runner"),
    ],
)
def test_javascript_runners_are_narrowed_by_titles(command: str, expected: str | None) -> None:
    assert narrow(command, [failing("src/cart.test.js > cart > adds (2)", path="src/cart.test.js")]) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("npm test -- --run", "npm test -- --run src/a.test.js", id="vitest"),
        pytest.param("npx jest", "npx jest 'src\\/a\\.test\\.js'", id="jest"),
        pytest.param("node --test", None, id="node"),
    ],
)
def test_a_file_that_can_not_run_has_no_title_to_ask_for(command: str, expected: str | None) -> None:
    whole = failing("src/a.test.js", path="src/a.test.js")
    assert narrow(command, [whole]) == expected
    assert narrow(command, [whole, failing("cart > adds", path="src/b.test.js")]) is None


def test_a_path_that_jest_begins_with_a_dot_is_still_part_of_the_path_it_looks_at() -> None:
    tests = [failing("./a.test.js > adds", path="./a.test.js")]
    assert narrow("npx jest", tests) == "npx jest 'a\\.test\\.js' -t '^(?:adds)$'"


@pytest.mark.parametrize(
    "tests",
    [
        pytest.param([], id="none"),
        pytest.param([failing(f"test_a.py::test_{number}") for number in range(MAX_TESTS + 1)], id="too-many"),
        pytest.param([failing("test_a.py::test_x"), failing("*")], id="one-of-another-kind"),
        pytest.param([failing("test_a.py::test_x\nrm")], id="a-name-of-two-lines"),
    ],
)
def test_what_can_not_be_named_is_not_narrowed(tests: list[FailingTest]) -> None:
    assert narrow("pytest", tests) is None


NAMES = st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), min_size=1, max_size=40)


@settings(max_examples=examples(60))
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_any_name_arrives_at_pytest_as_it_is(names: list[str]) -> None:
    ids = [f"tests/test_a.py::test[{name}]" for name in names]
    assert arguments(narrow("pytest -q", [failing(each) for each in ids])) == [*ids, "-q"]


@settings(max_examples=examples(40))
@given(NAMES)
def test_any_title_arrives_at_vitest_in_one_word(title: str) -> None:
    *_, flag, pattern = arguments(narrow("vitest run", [failing(f"a.test.js > cart > {title}", path="a.test.js")]))
    assert flag == "-t"
    assert pattern.startswith("^(?:cart (?:> )?")


@settings(max_examples=examples(40))
@given(st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs", "Z", "Cc"]), min_size=1))
def test_any_subtest_arrives_at_go_in_one_word(name: str) -> None:
    sent = arguments(narrow("go test ./...", [failing(f"TestA/{name}")]))
    assert sent[:2] == ["test", "-run"]
    assert sent[2].startswith("^TestA$/^")
    assert sent[3:] == ["./..."]


@given(st.text(), st.lists(NAMES.map(failing)))
def test_any_command_is_borne(command: str, tests: list[FailingTest]) -> None:
    narrowed = narrow(command, tests)
    assert narrowed != command


def arguments(command: str | None) -> list[str]:
    """What a shell hands to the program."""
    assert command
    program, _, rest = command.partition(" ")
    script = f'{program}() {{ printf "%s\\0" "$@"; }}; {program} {rest}'
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return ran.stdout.decode().split("\0")[:-1]
