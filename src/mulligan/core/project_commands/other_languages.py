"""Projects whose language has one usual runner."""

import re
from collections.abc import Iterator

from mulligan.core.project_commands.project import ProjectFolder, found, linter
from mulligan.core.project_commands.shell import quote
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import ProjectCommand


def find_other_tests(project: ProjectFolder) -> Iterator[ProjectCommand]:
    """Go, Rust, Java, Kotlin, Ruby, PHP, .NET, C, Elixir, Swift and Deno, if there are tests to run."""
    yield from _go(project)
    yield from _rust(project)
    yield from _java(project)
    yield from _ruby(project)
    yield from _php(project)
    yield from _cmake(project)
    yield from _by_manifest(project)


def find_other_linters(project: ProjectFolder) -> Iterator[ProjectCommand]:
    if "go.mod" in project.paths:
        if project.automates(r"\bgo vet\b"):
            yield linter("go vet ./...", NAMED)
        if files := project.present((".golangci.*",)):
            yield linter("golangci-lint run", f"golangci-lint is configured in {files[0]}", files)
    if "Cargo.toml" in project.paths:
        if project.automates(r"\bcargo\s+clippy\b"):
            strict = " -- -D warnings" if project.automates(r"clippy\b.*-D\s*warnings") else ""
            yield linter(f"cargo clippy --all-targets{strict}", NAMED, ("Cargo.toml", *project.present(CLIPPY)))
        if project.automates(r"\bcargo\s+fmt\b.*--check"):
            yield linter("cargo fmt --check", NAMED, project.present(("rustfmt.toml", ".rustfmt.toml")))
    for manifest, command in NAMED_LINTERS:
        if project.present((manifest,)) and project.automates(rf"\b{command}\b"):
            yield linter(command, NAMED)
    for glob, name, command in CONFIGURED_LINTERS:
        if files := project.present((glob,)):
            alone = command.startswith("bundle ") and "Gemfile" not in project.paths
            yield linter(
                command.removeprefix("bundle exec ") if alone else command,
                f"{name} is configured in {files[0]}",
                files,
            )


NAMED = "CI, hooks or a Makefile run it"
CLIPPY = ("clippy.toml", ".clippy.toml")
CONFIGURED_LINTERS = (
    (".rubocop.yml", "RuboCop", "bundle exec rubocop"),
    ("phpstan.neon*", "PHPStan", "vendor/bin/phpstan analyse"),
    ("psalm.xml*", "Psalm", "vendor/bin/psalm"),
    ("phpcs.xml*", "PHP_CodeSniffer", "vendor/bin/phpcs"),
    (".credo.exs", "Credo", "mix credo"),
    (".swiftlint.yml", "SwiftLint", "swiftlint lint"),
)
NAMED_LINTERS = (("mix.exs", "mix format --check-formatted"), ("*.sln", "dotnet format --verify-no-changes"))
"""A manifest, and a linter that runs only if CI, hooks or a Makefile name it: many projects don't follow theirs."""


def _go(project: ProjectFolder) -> Iterator[ProjectCommand]:
    if "go.mod" in project.paths and project.named("*_test.go"):
        yield found("go test ./...", "go.mod", ("go.mod",))


def _rust(project: ProjectFolder) -> Iterator[ProjectCommand]:
    if "Cargo.toml" in project.paths:
        # Rust's tests are in the source files, so no file name shows them.
        workspace = " --workspace" if project.has_section("Cargo.toml", "workspace") else ""
        yield found(f"cargo test{workspace}", "Cargo.toml", ("Cargo.toml",))


def _java(project: ProjectFolder) -> Iterator[ProjectCommand]:
    if not any(re.search(r"\.(?:java|kt|scala|groovy)$", path) and is_test_file(path) for path in project.paths):
        return
    if "pom.xml" in project.paths:
        # Without -q: it would hide how many tests ran, which is evidence.
        yield found(f"{'./mvnw' if 'mvnw' in project.paths else 'mvn'} -B test", "pom.xml", ("pom.xml",))
    elif files := project.present(("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")):
        yield found(f"{'./gradlew' if 'gradlew' in project.paths else 'gradle'} test", files[0], files)


def _ruby(project: ProjectFolder) -> Iterator[ProjectCommand]:
    bundled = "bundle exec " if "Gemfile" in project.paths else ""
    defined_in = project.present((".rspec", "Rakefile", "Gemfile"))
    tests = [path for path in project.named("*_test.rb", "test_*.rb") if re.match("test/(?!test_helper)", path)]
    if any(path.startswith("spec/") for path in project.named("*_spec.rb")):
        yield found(f"{bundled}rspec", "spec/ holds RSpec's tests", defined_in)
    elif "bin/rails" in project.paths and tests:
        yield found("bin/rails test", "bin/rails, and tests in test/", (*defined_in, "bin/rails"))
    elif re.search(r"TestTask|task\s+:?test\b", project.text("Rakefile")):
        yield found(f"{bundled}rake test", "task `test` in Rakefile", defined_in)
    elif len(tests) == 1:
        yield found(f"{bundled}ruby -Ilib -Itest {quote(tests[0])}", "the only test in test/", defined_in)


def _php(project: ProjectFolder) -> Iterator[ProjectCommand]:
    """Laravel too: `php artisan test` runs the same runner."""
    configured = project.present(("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"))
    composer = project.text("composer.json")
    defined_in = (*configured, *project.present(("composer.json",)))
    if configured or re.search(r'"(?:phpunit/phpunit|pestphp/pest)"', composer):
        runner = "pest" if '"pestphp/pest"' in composer else "phpunit"
        # Without Composer it is installed on the machine.
        yield found(f"vendor/bin/{runner}" if "composer.json" in defined_in else runner, defined_in[0], defined_in)
    elif re.search(r'"scripts"\s*:\s*\{[^{}]*"test"\s*:', composer):
        yield found("composer test", "scripts.test in composer.json", defined_in)


def _cmake(project: ProjectFolder) -> Iterator[ProjectCommand]:
    lists = [path for path in project.named("CMakeLists.txt") if TESTED_BY_CMAKE.search(project.text(path))]
    if "CMakeLists.txt" in project.paths and lists:
        command = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
        yield found(command, f"tests in {lists[0]}", ("CMakeLists.txt", *lists))


TESTED_BY_CMAKE = re.compile(
    r"^[ \t]*+(?:enable_testing|add_test|(?:gtest|catch)_discover_tests)[ \t]*+\(", re.MULTILINE
)
"""What registers tests with ctest."""


def _by_manifest(project: ProjectFolder) -> Iterator[ProjectCommand]:
    for manifests, tests, command in BY_MANIFEST:
        files = project.present(manifests)
        if files and any(re.search(tests, path) for path in project.paths):
            yield found(command, files[0], files)


BY_MANIFEST = (
    (("*.sln", "*.slnx", "*.csproj", "*.fsproj"), r"(?i)tests?[^/]*\.(?:cs|fs)proj$", "dotnet test"),
    (("mix.exs",), r"_test\.exs$", "mix test"),
    (("Package.swift",), r"^Tests/", "swift test"),
    (("deno.json", "deno.jsonc"), r"[._]test\.[jt]sx?$", "deno test"),
    (("pubspec.yaml",), r"_test\.dart$", "dart test"),
)
"""Manifests, what shows that there are tests, and the command."""
