"""Files that judge a run are not the run's to change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.fix_runs.judging_files import judges_the_run
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import ProjectCommand


def command(text: str, *defined_in: str) -> ProjectCommand:
    return ProjectCommand(command=text, kind="test", why="--verify", defined_in=defined_in)


@pytest.mark.parametrize(
    "path",
    [
        "test_cart.py", "cart_test.py", "tests.py", "shop/tests.py", "test.py", "tests/helpers.py", "conftest.py",
        "tests/data/cart.json", "tests/fixtures/a.txt", "unit_tests/cart.py", "src/shop/tests/__init__.py",
        "cart.test.ts", "cart.spec.js", "cart.test.jsx", "app.e2e-spec.ts", "src/__tests__/cart.js", "cart.cy.ts",
        "src/__snapshots__/cart.snap", "__mocks__/fs.js", "test/cart.js", "cypress/e2e/cart.js",
        "cart_test.go", "cart/testdata/in.txt", "tests/cart.rs", "src/tests.rs", "cart_test.rs",
        "src/test/java/shop/CartTest.java", "CartTests.java", "CartTestCase.java", "CartIT.java", "TestCart.java",
        "CartTest.kt", "CartSpec.scala", "Shop.Tests/Cart.cs", "CartTests.cs", "Tests/CartTests/Cart.swift",
        "spec/cart_spec.rb", "spec/spec_helper.rb", "test/test_cart.rb", "tests/CartTest.php", "cart_test.exs",
        "cart_spec.lua", "test_cart.lua", "cart.bats", "features/cart.feature", "cart_test.cc", "test_cart.c",
    ],
)  # fmt: skip
def test_tests_are_known_by_folder_and_name(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/latest.py", "contest.py", "testing_tools.py", "attest.go", "src/contest/cart.py", "latest/cart.js",
        "testimonials.ts", "Contest.java", "Latest.java", "protest.rb", "src/testing/server.py", "test-utils.ts",
        "spec/parser.py", "spec/format.md", "openapi-spec.json", "inspector.js", "EXIT.java", "fastest.c",
        "greatest/hits.py", "src/shop/cart.py", "README.md", "test", "attestation_tests_api.py", "testy/a.py",
    ],
)  # fmt: skip
def test_names_that_only_look_like_it_are_no_tests(path: str) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        pytest.param("tests/test_cart.py", "a test", id="a-test"),
        pytest.param("pytest.ini", "it configures pytest", id="pytest"),
        pytest.param("tests/conftest.py", "it configures pytest", id="conftest"),
        pytest.param("pyproject.toml", "it configures Python's tools", id="pyproject"),
        pytest.param("setup.cfg", "it configures Python's tools", id="setup-cfg"),
        pytest.param("sitecustomize.py", "it configures how Python starts", id="sitecustomize"),
        pytest.param("src/a.pth", "it configures how Python starts", id="pth"),
        pytest.param("web/vitest.config.ts", "it configures vitest", id="vitest"),
        pytest.param("jest.config.js", "it configures jest", id="jest"),
        pytest.param(".mocharc.yml", "it configures mocha", id="mocha"),
        pytest.param(".eslintrc.json", "it configures eslint", id="eslint"),
        pytest.param("eslint.config.mjs", "it configures eslint", id="eslint-flat"),
        pytest.param("ruff.toml", "it configures ruff", id="ruff"),
        pytest.param("mypy.ini", "it configures mypy", id="mypy"),
        pytest.param("tsconfig.json", "it configures the TypeScript compiler", id="tsconfig"),
        pytest.param("inner/go.mod", "it configures which packages Go sees", id="a-module-hides-its-folder-from-go"),
        pytest.param(".cargo/config.toml", "it configures cargo", id="cargo"),
        pytest.param(".github/workflows/ci.yml", "it says what CI runs", id="ci"),
        pytest.param(".gitlab-ci.yml", "it says what CI runs", id="gitlab"),
        pytest.param("node_modules/.bin/jest", "it was installed, and belongs to a dependency", id="installed"),
    ],
)
def test_what_judges_a_run_is_guarded(path: str, why: str) -> None:
    assert judges_the_run(path, [], existed=True) == why


@pytest.mark.parametrize(
    "path", ["src/cart.py", "README.md", "Makefile", "package.json", "babel.config.js", "vite.config.ts", "unittest.py"]
)
def test_the_program_itself_may_be_changed(path: str) -> None:
    assert judges_the_run(path, [command("python3 -m unittest discover")], existed=True) is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("make test", "Makefile", id="make"),
        pytest.param("make test", "GNUmakefile", id="a-makefile-that-make-prefers"),
        pytest.param("cd web && npm test", "web/package.json", id="npm"),
        pytest.param("yarn run jest", "package.json", id="yarn"),
        pytest.param("./mvnw -B test", "pom.xml", id="maven"),
        pytest.param("gradle test", "app/build.gradle.kts", id="gradle"),
        pytest.param("cargo test", "Cargo.toml", id="cargo"),
        pytest.param("cmake --build build && ctest --test-dir build", "tests/CMakeLists.txt", id="cmake"),
        pytest.param("just test", "justfile", id="just"),
        pytest.param("./check.sh --all", "check.sh", id="a-script"),
        pytest.param("cd api && bash scripts/verify.sh", "api/scripts/verify.sh", id="a-script-in-a-folder"),
        pytest.param("bin/run-tests", "bin/run-tests", id="a-script-without-an-ending"),
    ],
)
def test_what_says_what_a_command_does_is_guarded_even_if_the_user_gave_the_command(text: str, path: str) -> None:
    for existed in (True, False):
        assert judges_the_run(path, [command(text)], existed=existed) == f"it says what `{text}` does"


def test_a_program_that_a_command_runs_may_be_changed() -> None:
    assert judges_the_run("main.py", [command("python3 main.py")], existed=True) is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        pytest.param("tests/test_more.py", None, id="a-test-may-be-added"),
        pytest.param("src/more.test.ts", None, id="in-any-language"),
        pytest.param("tests/__init__.py", "a test", id="not-what-changes-how-tests-are-found"),
        pytest.param("tests/helpers.py", "a test", id="not-what-tests-may-import"),
        pytest.param("__snapshots__/a.snap", "a test", id="not-an-expected-result"),
        pytest.param("conftest.py", "it configures pytest", id="not-a-configuration"),
        pytest.param("vitest.config.js", "it configures vitest", id="not-another-configuration"),
        pytest.param("pytest.py", "it would hide pytest itself", id="not-a-runner"),
        pytest.param("unittest/__init__.py", "it would hide unittest itself", id="not-a-runner-as-a-package"),
        pytest.param("src/cart.py", None, id="a-source"),
        pytest.param("shop/unittest.py", None, id="an-inner-module-of-such-a-name"),
    ],
)
def test_new_files(path: str, why: str | None) -> None:
    assert judges_the_run(path, [], existed=False) == why


PATHS = st.lists(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1), min_size=1
).map("/".join)


@given(PATHS, st.sampled_from(["make test", "npm test", "pytest"]))
def test_whatever_a_command_is_defined_in_is_guarded(path: str, text: str) -> None:
    assert judges_the_run(path, [command("true"), command(text, path)], existed=True) == f"it says what `{text}` does"


@given(PATHS)
def test_a_test_that_existed_is_always_guarded(path: str) -> None:
    assert judges_the_run(f"tests/{path}", [], existed=True)
