"""What judges a project, from small manifests of the kinds that projects have."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.project_commands import find_commands
from mulligan.core.project_commands.shell import quote
from mulligan.types.fixing import ProjectCommand

UNITTEST = "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self): ...\n"
PLAIN = "from shop import add\n\ndef test_add():\n    assert add(1, 1) == 2\n"
NODE = "const test = require('node:test')\ntest('adds', () => {})\n"
CMAKE = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
SRC = 'PYTHONPATH="$PWD/src:$PYTHONPATH" '


def found(files: Mapping[str, str], *paths: str) -> tuple[ProjectCommand, ...]:
    return find_commands(files, [*files, *paths])


def commands(files: Mapping[str, str], *paths: str) -> list[str]:
    return [each.command for each in found(files, *paths)]


def package(**fields: object) -> dict[str, str]:
    return {"package.json": json.dumps(fields)}


def script(text: str, **fields: object) -> dict[str, str]:
    return package(scripts={"test": text}, **fields)


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param({"pyproject.toml": "[tool.pytest.ini_options]\n"}, [], "python3 -m pytest", id="pyproject"),
        pytest.param({"pyproject.toml": "[tool.pytest]\n"}, [], "python3 -m pytest", id="pyproject-of-pytest-9"),
        pytest.param({}, ["pytest.ini"], "python3 -m pytest", id="pytest-ini"),
        pytest.param({"tox.ini": "[tox]\n\n[pytest]\n"}, [], "python3 -m pytest", id="tox-ini"),
        pytest.param({"setup.cfg": "[tool:pytest]\n"}, [], "python3 -m pytest", id="setup-cfg"),
        pytest.param(
            {"tests/test_a.py": UNITTEST}, ["tests/conftest.py"], "python3 -m pytest", id="a-conftest-and-tests"
        ),
        pytest.param(
            {"tests/test_a.py": UNITTEST, "requirements-dev.txt": "pytest>=8\n"}, [], "python3 -m pytest", id="required"
        ),
        pytest.param(
            {"tests/test_a.py": UNITTEST, "requirements/dev.txt": "pytest-cov\n"},
            [],
            "python3 -m pytest",
            id="required-by-a-plugin",
        ),
        pytest.param(
            {"test_a.py": UNITTEST, ".github/workflows/ci.yml": "      - run: pytest -x\n"},
            [],
            "python3 -m pytest",
            id="ci-runs-it",
        ),
        pytest.param({"test_a.py": PLAIN}, ["shop.py"], "python3 -m pytest", id="plain-functions"),
        pytest.param({"test_a.py": "class TestA:\n    def test_b(self): ...\n"}, [], "python3 -m pytest", id="classes"),
        pytest.param({"tests/test_a.py": PLAIN}, ["src/shop/__init__.py"], f"{SRC}python3 -m pytest", id="src-layout"),
        pytest.param({"tests/test_a.py": PLAIN}, ["src/shop.py"], f"{SRC}python3 -m pytest", id="modules-in-src"),
        pytest.param(
            {"tests/test_a.py": PLAIN},
            ["src/__init__.py", "src/shop.py"],
            "python3 -m pytest",
            id="src-is-itself-a-package",
        ),
        pytest.param({"test_a.py": UNITTEST}, [], "python3 -m unittest discover", id="unittest-at-the-top"),
        pytest.param(
            {"tests/test_a.py": UNITTEST}, [], "python3 -m unittest discover -s tests", id="unittest-in-a-plain-folder"
        ),
        pytest.param(
            {"tests/test_a.py": UNITTEST},
            ["tests/__init__.py"],
            "python3 -m unittest discover -s tests -t .",
            id="unittest-in-a-package",
        ),
        pytest.param(
            {"shop/tests/test_a.py": UNITTEST},
            ["shop/__init__.py", "shop/tests/__init__.py"],
            "python3 -m unittest discover -s shop/tests -t .",
            id="unittest-in-an-inner-package",
        ),
        pytest.param(
            {"my tests/test_a.py": UNITTEST},
            [],
            "python3 -m unittest discover -s 'my tests'",
            id="a-folder-with-a-space",
        ),
        pytest.param(
            {"tests/a_test.py": UNITTEST}, [], "python3 -m unittest discover -s tests -p '*_test.py'", id="other-names"
        ),
        pytest.param(
            {"tests/a_test.py": UNITTEST, "tests/test_b.py": UNITTEST},
            [],
            "python3 -m unittest discover -s tests -p '*test*.py'",
            id="both-names",
        ),
        pytest.param(
            {"manage.py": "os.environ['DJANGO_SETTINGS_MODULE']\nimport django\n", "shop/tests.py": UNITTEST},
            ["shop/__init__.py"],
            "python3 manage.py test",
            id="django",
        ),
    ],
)
def test_a_python_project_is_tested_by(files: dict[str, str], paths: list[str], expected: str) -> None:
    assert commands(files, *paths) == [expected]


def test_unittest_runs_once_for_each_folder_it_can_not_reach_from_another() -> None:
    files = {"tests/test_a.py": UNITTEST, "tests/unit/test_b.py": UNITTEST, "test_c.py": UNITTEST}
    assert commands(files) == [
        "python3 -m unittest discover",
        "python3 -m unittest discover -s tests",
        "python3 -m unittest discover -s tests/unit",
    ]


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param(script("mocha"), [], "npm test", id="npm"),
        pytest.param(script("mocha"), ["yarn.lock"], "yarn test", id="yarn"),
        pytest.param(script("mocha"), ["pnpm-lock.yaml"], "pnpm test", id="pnpm"),
        pytest.param(script("mocha"), ["bun.lockb"], "bun run test", id="bun"),
        pytest.param(
            script("mocha", packageManager="pnpm@9.1.0"), ["package-lock.json"], "pnpm test", id="declared-manager"
        ),
        pytest.param(script("vitest"), [], "npm test -- --run", id="vitest-must-not-watch"),
        pytest.param(script("vitest run"), [], "npm test -- --run", id="vitest-that-runs-once"),
        pytest.param(script("vitest"), ["yarn.lock"], "yarn test --run", id="vitest-by-yarn"),
        pytest.param(script("vitest"), ["pnpm-lock.yaml"], "pnpm test --run", id="vitest-by-pnpm"),
        pytest.param(script("vitest && eslint ."), [], "CI=true npm test", id="vitest-before-something-else"),
        pytest.param(script("eslint . && vitest"), [], "npm test -- --run", id="vitest-after-something-else"),
        pytest.param(
            script("vitest --watch"), [], "npx --no-install vitest run", id="vitest-that-watches-whatever-is-said"
        ),
        pytest.param(script("jest"), [], "npm test -- --ci", id="jest"),
        pytest.param(
            script("NODE_OPTIONS=--experimental-vm-modules npx jest"), [], "npm test -- --ci", id="jest-behind-words"
        ),
        pytest.param(script("jest --watchAll"), [], "npx --no-install jest --ci", id="jest-that-watches"),
        pytest.param(script("ng test --watch"), [], "npm test -- --watch=false", id="another-that-watches"),
        pytest.param(
            package(scripts={"test": "jest --watch", "test:ci": "jest"}),
            [],
            "npm run test:ci -- --ci",
            id="a-script-that-runs-once",
        ),
        pytest.param(script("react-scripts test"), [], "CI=true npm test", id="react-scripts"),
        pytest.param(script("node --test test/"), [], "node --test test/", id="node-itself"),
        pytest.param(
            package(devDependencies={"vitest": "^3"}), [], "npx --no-install vitest run", id="no-script-but-vitest"
        ),
        pytest.param(
            package(devDependencies={"jest": "^30"}) | {"yarn.lock": ""},
            [],
            "yarn run jest --ci",
            id="no-script-but-jest",
        ),
        pytest.param({"cart.test.js": NODE}, [], "node --test", id="no-manifest"),
        pytest.param(
            package(name="x", scripts={"test": 'echo "Error: no test specified" && exit 1'}) | {"cart.test.js": NODE},
            [],
            "node --test",
            id="a-placeholder-and-tests",
        ),
    ],
)
def test_a_javascript_project_is_tested_by(files: dict[str, str], paths: list[str], expected: str) -> None:
    assert commands(files, *paths) == [expected]


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param({"go.mod": "module shop\n"}, ["cart_test.go"], "go test ./...", id="go"),
        pytest.param({"Cargo.toml": "[package]\n"}, ["src/lib.rs"], "cargo test", id="rust"),
        pytest.param({"Cargo.toml": "[workspace]\n"}, ["a/src/lib.rs"], "cargo test --workspace", id="rust-workspace"),
        pytest.param({}, ["pom.xml", "src/test/java/CartTest.java"], "mvn -B test", id="maven"),
        pytest.param({}, ["pom.xml", "mvnw", "src/test/java/CartTest.java"], "./mvnw -B test", id="maven-wrapper"),
        pytest.param({}, ["build.gradle", "src/test/java/CartTest.java"], "gradle test", id="gradle"),
        pytest.param(
            {}, ["build.gradle.kts", "gradlew", "src/test/kotlin/CartTest.kt"], "./gradlew test", id="gradle-wrapper"
        ),
        pytest.param({"Gemfile": "gem 'rspec'\n"}, ["spec/cart_spec.rb"], "bundle exec rspec", id="rspec"),
        pytest.param({"Rakefile": "Rake::TestTask.new\n"}, ["test/test_cart.rb"], "rake test", id="rake"),
        pytest.param(
            {"Gemfile": "gem 'rails'\n", "Rakefile": "Rails.application.load_tasks\n"},
            ["bin/rails", "test/models/cart_test.rb", "test/test_helper.rb"],
            "bin/rails test",
            id="rails",
        ),
        pytest.param(
            {}, ["test/test_helper.rb", "test/cart_test.rb"], "ruby -Ilib -Itest test/cart_test.rb", id="minitest"
        ),
        pytest.param({}, ["phpunit.xml.dist"], "phpunit", id="phpunit-of-the-machine"),
        pytest.param({"composer.json": "{}"}, ["phpunit.xml.dist"], "vendor/bin/phpunit", id="phpunit"),
        pytest.param(
            {"composer.json": '{"scripts": {"lint": "x", "test": ["tester tests"]}}'},
            [],
            "composer test",
            id="composer",
        ),
        pytest.param(
            {"CMakeLists.txt": "project(shop C)\nenable_testing()\nadd_test(NAME a COMMAND a)\n"},
            ["src/cart.c"],
            CMAKE,
            id="cmake",
        ),
        pytest.param(
            {"CMakeLists.txt": "add_subdirectory(tests)\n", "tests/CMakeLists.txt": "gtest_discover_tests(a)\n"},
            [],
            CMAKE,
            id="cmake-with-tests-below",
        ),
        pytest.param({"composer.json": '{"require-dev": {"pestphp/pest": "^3"}}'}, [], "vendor/bin/pest", id="pest"),
        pytest.param({}, ["Shop.sln", "Shop.Tests/Shop.Tests.csproj"], "dotnet test", id="dotnet"),
        pytest.param({}, ["mix.exs", "test/cart_test.exs"], "mix test", id="elixir"),
        pytest.param({}, ["Package.swift", "Tests/CartTests/CartTests.swift"], "swift test", id="swift"),
        pytest.param({"deno.json": "{}"}, ["cart_test.ts"], "deno test", id="deno"),
        pytest.param({"Makefile": "build:\n\tcc a.c\n\ntest: build\n\t./run\n"}, ["a.c"], "make test", id="make"),
        pytest.param({"Makefile": "test-all:\n\t./a\ncheck:\n\t./run\n"}, ["a.c"], "make check", id="make-check"),
        pytest.param({"justfile": "test *args:\n    ./run {{args}}\n"}, ["a.c"], "just test", id="just"),
        pytest.param(
            {".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n    - run: |\n        make\n        ctest -j2\n"},
            ["CMakeLists.txt"],
            "ctest -j2",
            id="a-step-of-ci",
        ),
        pytest.param(
            {".gitlab-ci.yml": "unit:\n  script:\n    - make\n    - bats spec\n"}, [], "bats spec", id="gitlab"
        ),
    ],
)
def test_other_projects_are_tested_by(files: dict[str, str], paths: list[str], expected: str) -> None:
    assert commands(files, *paths) == [expected]


@pytest.mark.parametrize(
    ("files", "paths"),
    [
        pytest.param({}, [], id="an-empty-project"),
        pytest.param({}, ["README.md", "main.c"], id="no-manifest"),
        pytest.param({"package.json": "{"}, [], id="a-broken-manifest"),
        pytest.param({"package.json": '["scripts"]'}, [], id="a-manifest-of-another-shape"),
        pytest.param(script('echo "Error: no test specified" && exit 1'), [], id="npm's-placeholder"),
        pytest.param({"go.mod": "module shop\n"}, ["cart.go"], id="go-without-tests"),
        pytest.param({}, ["pom.xml", "src/main/java/Cart.java"], id="java-without-tests"),
        pytest.param({"test_speed.py": "print('not a test')\n"}, [], id="a-script-that-is-named-like-a-test"),
        pytest.param({"node_modules/x/package.json": json.dumps({"scripts": {"test": "jest"}})}, [], id="fetched"),
        pytest.param({"tests/fixtures/x/test_a.py": PLAIN, "main.py": ""}, [], id="a-sample-among-tests"),
        pytest.param({"tests/data/x/test_a.py": PLAIN}, ["tests/data/conftest.py"], id="data-of-tests"),
        pytest.param(
            {".github/workflows/ci.yml": "- run: make && curl x | sh\n- run: ${{ test }}\n"}, [], id="ci-alone"
        ),
    ],
)
def test_nothing_is_found_where_nothing_judges(files: dict[str, str], paths: list[str]) -> None:
    assert find_commands(files, [*files, *paths]) == ()


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param({"pyproject.toml": "[tool.ruff.lint]\n"}, [], ["ruff check"], id="ruff"),
        pytest.param({}, [".ruff.toml"], ["ruff check"], id="ruff-toml"),
        pytest.param(
            {"ruff.toml": "", "Makefile": "lint:\n\truff check && ruff format --check\n"},
            [],
            ["ruff check", "ruff format --check"],
            id="ruff-format-where-it-is-checked",
        ),
        pytest.param({"setup.cfg": "[flake8]\n"}, [], ["flake8"], id="flake8"),
        pytest.param({"pyproject.toml": "[tool.black]\n"}, [], ["black --check ."], id="black"),
        pytest.param({"pyproject.toml": "[tool.pyright]\n"}, [], ["pyright"], id="pyright"),
        pytest.param({"mypy.ini": "[mypy]\nfiles = shop\n"}, [], ["mypy"], id="mypy-that-knows-where"),
        pytest.param({"mypy.ini": "[mypy]\n"}, ["src/shop/a.py"], ["mypy src"], id="mypy-of-a-src-layout"),
        pytest.param(
            {"mypy.ini": "[mypy]\n"}, ["shop/__init__.py", "tests/__init__.py"], ["mypy shop"], id="mypy-of-packages"
        ),
        pytest.param({"mypy.ini": "[mypy]\n"}, [], ["mypy ."], id="mypy-of-all"),
        pytest.param(
            {"mypy.ini": "[mypy]\n", ".github/workflows/a.yml": "- name: mypy of shop\n- run: uv run mypy shop bin\n"},
            [],
            ["mypy shop bin"],
            id="mypy-as-ci-calls-it",
        ),
        pytest.param({"pyproject.toml": '[project]\nname = "ruff-mypy-black"\n'}, [], [], id="none-configured"),
        pytest.param({"Makefile": "lint:\n\t./style\n"}, [], ["make lint"], id="make-lint-where-none-is-recognised"),
        pytest.param({"Makefile": "lint:\n\truff check --fix\n"}, [], [], id="a-target-that-rewrites"),
    ],
)
def test_linters_of_python(files: dict[str, str], paths: list[str], expected: list[str]) -> None:
    assert commands(files, "main.py", *paths) == expected


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param(package(scripts={"lint": "eslint ."}), [], ["npm run lint"], id="a-script"),
        pytest.param(package(scripts={"lint": "eslint . --fix"}), [], [], id="a-script-that-rewrites"),
        pytest.param(
            package(scripts={"lint": "eslint . --fix"}, devDependencies={"eslint": "9"}),
            ["eslint.config.js"],
            ["npx --no-install eslint ."],
            id="a-configuration-instead",
        ),
        pytest.param(
            package(scripts={"lint": "eslint .", "typecheck": "tsc -b"}, devDependencies={"typescript": "5"}),
            ["tsconfig.json"],
            ["npm run lint", "npm run typecheck"],
            id="lint-and-types",
        ),
        pytest.param(
            package(scripts={"tsc": "tsc --noEmit", "typecheck": "tsc --noEmit"}),
            [],
            ["npm run typecheck"],
            id="two-names-for-one-thing",
        ),
        pytest.param(
            package(devDependencies={"typescript": "5", "prettier": "3"}) | {"yarn.lock": ""},
            ["tsconfig.json", ".prettierrc"],
            ["yarn run tsc --noEmit", "yarn run prettier --check ."],
            id="configured-without-scripts",
        ),
        pytest.param(package(), ["tsconfig.json", ".eslintrc.json"], [], id="configured-but-not-a-dependency"),
        pytest.param(
            {"go.mod": "", "Makefile": "vet:\n\tgo vet ./...\n"}, [".golangci.yml"],
            ["go vet ./...", "golangci-lint run"],
            id="go",
        ),
        pytest.param({"go.mod": ""}, [], [], id="go-vet-is-not-invented"),
        pytest.param({"composer.json": "{}"}, ["phpstan.neon"], ["vendor/bin/phpstan analyse"], id="phpstan"),
        pytest.param({}, [".rubocop.yml"], ["rubocop"], id="rubocop-without-bundler"),
        pytest.param({"Gemfile": ""}, [".rubocop.yml"], ["bundle exec rubocop"], id="rubocop"),
        pytest.param({}, ["mix.exs", ".formatter.exs"], [], id="mix-format-is-not-invented"),
        pytest.param({"Makefile": "ci:\n\tmix format --check-formatted\n"}, ["mix.exs", ".credo.exs"],
                     ["mix format --check-formatted", "mix credo"], id="elixir"),
    ],
)  # fmt: skip
def test_linters_of_other_languages(files: dict[str, str], paths: list[str], expected: list[str]) -> None:
    assert [each.command for each in found(files, *paths) if each.kind == "lint"] == expected


def test_clippy_is_run_as_strictly_as_ci_does() -> None:
    files = {"Cargo.toml": "[package]\n", ".github/workflows/ci.yml": "- run: cargo clippy -- -D warnings\n"}
    assert commands(files) == ["cargo test", "cargo clippy --all-targets -- -D warnings"]


def test_a_cmake_project_without_tests_has_no_test_command() -> None:
    assert commands({"CMakeLists.txt": "project(shop C)\nadd_executable(a a.c)\n"}) == []


def test_a_recognised_runner_is_preferred_to_a_makefile() -> None:
    assert commands({"Makefile": "test:\n\tpytest\n", "tests/test_a.py": PLAIN}) == ["python3 -m pytest"]


def test_each_language_has_its_own_command_and_tests_stand_before_linters() -> None:
    files = {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n", "a.py": "", **script("jest")}
    assert commands(files) == ["python3 -m pytest", "npm test -- --ci", "ruff check"]


def test_the_top_folder_decides_where_it_has_tests() -> None:
    files = {"tests/test_a.py": PLAIN, "web/package.json": json.dumps({"scripts": {"test": "jest"}})}
    assert commands(files) == ["python3 -m pytest"]


def test_without_tests_at_the_top_inner_projects_are_entered() -> None:
    files = {
        "web/package.json": json.dumps({"scripts": {"test": "jest"}}),
        "api server/pyproject.toml": "[tool.pytest.ini_options]\n",
        "api server/tests/test_a.py": PLAIN,
        "docs/package.json": json.dumps({"scripts": {"test": "jest"}}),
    }
    api, web = found(files, "yarn.lock")
    assert api.command == "cd 'api server' && python3 -m pytest"
    assert api.defined_in == ("api server/pyproject.toml",)
    assert api.why == "pytest is configured in pyproject.toml, in api server"
    assert web.command == "cd web && yarn test --ci"


def test_what_configures_an_inner_project_does_not_configure_the_top() -> None:
    files = {"api/pyproject.toml": "[project]\n", "api/tests/test_a.py": PLAIN}
    assert commands(files, "api/tests/conftest.py") == ["cd api && python3 -m pytest"]


def test_a_package_that_is_named_data_has_tests_like_any_other() -> None:
    files = {"shop/data/tests/test_a.py": UNITTEST}
    packages = ["shop/__init__.py", "shop/data/__init__.py", "shop/data/tests/__init__.py"]
    assert commands(files, *packages) == ["python3 -m unittest discover -s shop/data/tests -t ."]


def test_tests_that_were_not_read_are_taken_to_be_like_those_that_were() -> None:
    assert commands({"a/test_a.py": UNITTEST}, "b/test_b.py") == [
        "python3 -m unittest discover -s a",
        "python3 -m unittest discover -s b",
    ]


def test_at_most_three_inner_projects_are_entered() -> None:
    files = {f"{name}/go.mod": "" for name in "dcba"}
    tests = [f"{name}/x_test.go" for name in "abcd"]
    assert commands(files, *tests) == [f"cd {name} && go test ./..." for name in "abc"]


def test_linters_at_the_top_stay_beside_tests_of_inner_projects() -> None:
    files = {**package(scripts={"lint": "eslint ."}), "api/go.mod": ""}
    assert commands(files, "api/x_test.go") == ["cd api && go test ./...", "npm run lint"]


@pytest.mark.parametrize(
    ("files", "paths", "why", "defined_in"),
    [
        pytest.param(script("mocha"), [".mocharc.yml"], "scripts.test in package.json",
                     ("package.json", ".mocharc.yml"), id="a-script"),
        pytest.param({"Makefile": "test:\n\t./a\n"}, [], "target `test` in Makefile", ("Makefile",), id="a-target"),
        pytest.param({"pyproject.toml": "[tool.pytest.ini_options]\n"}, ["setup.cfg"],
                     "pytest is configured in pyproject.toml", ("pyproject.toml", "setup.cfg"), id="pytest"),
        pytest.param({"test_a.py": UNITTEST}, [], "test_a.py is written for unittest", (), id="unittest"),
    ],
)  # fmt: skip
def test_a_command_says_where_it_was_found(
    files: dict[str, str], paths: list[str], why: str, defined_in: tuple[str, ...]
) -> None:
    (command,) = found(files, *paths)
    assert (command.why, command.defined_in) == (why, defined_in)


NAMES = st.sampled_from(
    ["pyproject.toml", "package.json", "Makefile", "go.mod", "Cargo.toml", "tox.ini", "setup.cfg", "test_a.py",
     "tests/test_a.py", "a/b/package.json", "web/go.mod", ".github/workflows/ci.yml", "justfile", "Rakefile",
     "composer.json", "mypy.ini", "manage.py", "a b/pyproject.toml"]
)  # fmt: skip


@given(st.dictionaries(NAMES, st.text(max_size=60) | st.just('{"scripts": 3}') | st.just("[tool.ruff\n[mypy]")))
def test_any_text_in_a_manifest_is_borne(files: dict[str, str]) -> None:
    commands = find_commands(files, list(files))
    kinds = [command.kind for command in commands]
    assert kinds == sorted(kinds, reverse=True)
    assert all(path in files for command in commands for path in command.defined_in)
    assert len(set(commands)) == len(commands)


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
def test_an_inner_folder_of_any_name_is_entered_quoted(name: str) -> None:
    commands = find_commands({f"{name}/go.mod": ""}, [f"{name}/a_test.go"])
    assert all(command.command == f"cd {quote(name)} && go test ./..." for command in commands)
