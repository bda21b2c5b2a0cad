import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.manifests import is_manifest, read_manifest
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.types.codecontext import EntryPoint
from tests.codecontext.conftest import Project

NAMES = [
    "pyproject.toml", "setup.cfg", "setup.py", "requirements-dev.txt", "package.json", "go.mod", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts", "libs.versions.toml", "Gemfile", "shop.gemspec", "composer.json", "Shop.csproj",
    "Shop.fsproj", "CMakeLists.txt", "mix.exs", "Package.swift",
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text", "paths", "expected"),
    [
        pytest.param(
            "pyproject.toml",
            '[project]\nname = "shop"\ndependencies = ["FastAPI>=1", "x[y]"]\n[project.optional-dependencies]\ndev = ["pytest"]\n'
            '[project.scripts]\nshop = "shop.cli:main"\n',
            ["src/shop/cli.py"],
            ("Python", "shop", ("fastapi", "pytest"), ("fastapi", "x", "pytest"), (("shop", "shop.cli:main"),),
             (EntryPoint("src/shop/cli.py", "console script shop"),)),
            id="pyproject",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = "^3"\ndjango = "^5"\n',
            [],
            ("Python", "shop", ("django",), ("django",), (), ()),
            id="poetry",
        ),
        pytest.param(
            "setup.cfg",
            "[metadata]\nname = shop\n[options]\ninstall_requires =\n    flask>=2\n[options.entry_points]\nconsole_scripts =\n    shop = shop:main\n",
            ["shop/__init__.py"],
            ("Python", "shop", ("flask",), ("flask",), (("shop", "shop:main"),),
             (EntryPoint("shop/__init__.py", "console script shop"),)),
            id="setup.cfg",
        ),
        pytest.param(
            "setup.py",
            "setup(name='shop', install_requires=['click', 'rich'], entry_points={'console_scripts': ['shop = shop:main']})",
            [],
            ("Python", "shop", ("click",), ("click", "rich"), (("shop", "shop:main"),), ()),
            id="setup.py",
        ),
        pytest.param(
            "requirements.txt", "# all\nflask==2.0\n-r other.txt\n\nnumpy\n", [],
            ("Python", "", ("flask", "numpy"), ("flask", "numpy"), (), ()), id="requirements",
        ),
        pytest.param(
            "web/package.json",
            '{"name": "web", "main": "dist/main.js", "bin": {"web": "./bin/web.js"}, "scripts": {"dev": "vite"},'
            ' "dependencies": {"react": "1"}, "devDependencies": {"typescript": "5"}}',
            ["web/src/main.ts", "web/bin/web.js"],
            ("TypeScript", "web", ("react", "typescript"), ("react", "typescript"), (("dev", "vite"),),
             (EntryPoint("web/src/main.ts", "main of the package"), EntryPoint("web/bin/web.js", "command web"))),
            id="package.json",
        ),
        pytest.param(
            "go.mod",
            "module example.com/shop\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n\tgithub.com/x/y v0.1.0 // indirect\n)\n",
            ["cmd/shopd/main.go", "main.go", "other/main.go"],
            ("Go", "example.com/shop", ("gin",), ("github.com/gin-gonic/gin", "github.com/x/y"), (),
             (EntryPoint("cmd/shopd/main.go", "command shopd"), EntryPoint("main.go", "command shop"))),
            id="go.mod",
        ),
        pytest.param(
            "Cargo.toml",
            '[package]\nname = "shop"\n[dependencies]\ntokio = "1"\n[[bin]]\nname = "shopd"\npath = "src/daemon.rs"\n',
            ["src/main.rs", "src/daemon.rs", "src/bin/tool.rs", "src/lib.rs"],
            ("Rust", "shop", ("tokio",), ("tokio",), (),
             (EntryPoint("src/daemon.rs", "binary shopd"), EntryPoint("src/main.rs", "binary shop"),
              EntryPoint("src/bin/tool.rs", "binary tool"), EntryPoint("src/lib.rs", "library shop"))),
            id="cargo",
        ),
        pytest.param(
            "pom.xml",
            "<project><parent><groupId>org.springframework.boot</groupId><artifactId>starter-parent</artifactId></parent>"
            "<artifactId>shop</artifactId><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>"
            "</dependency></dependencies></project>",
            [],
            ("Java", "shop", ("junit", "spring boot"), ("org.springframework.boot:starter-parent", "junit:junit"), (), ()),
            id="maven",
        ),
        pytest.param(
            "app/build.gradle.kts",
            'plugins { id("org.springframework.boot") version "3" }\ndependencies { implementation("io.ktor:ktor-core:2.0") }\n',
            [],
            ("Java", "app", ("ktor", "spring boot"), ("io.ktor:ktor-core", "org.springframework.boot"), (), ()),
            id="gradle",
        ),
        pytest.param(
            "pom.xml",
            "<project><artifactId>shop</artifactId><build><plugins><plugin><configuration><mainClass>shop.Main</mainClass>"
            "</configuration></plugin></plugins></build></project>",
            ["src/main/java/shop/Main.java"],
            ("Java", "shop", (), (), (), (EntryPoint("src/main/java/shop/Main.java", "main class shop.Main"),)),
            id="maven, main class",
        ),
        pytest.param(
            "app/build.gradle.kts",
            'plugins { kotlin("jvm") version "2" }\napplication { mainClass.set("shop.MainKt") }\n',
            ["app/src/main/kotlin/shop/Main.kt"],
            ("Kotlin", "app", ("kotlin",), ("org.jetbrains.kotlin.jvm",), (),
             (EntryPoint("app/src/main/kotlin/shop/Main.kt", "main class shop.MainKt"),)),
            id="gradle, kotlin",
        ),
        pytest.param(
            "gradle/libs.versions.toml",
            '[libraries]\nktor = { module = "io.ktor:ktor-core", version = "3" }\n'
            'spring = { group = "org.springframework", name = "spring-core" }\n'
            '[plugins]\nboot = { id = "org.springframework.boot", version = "3" }\n',
            [],
            ("Java", "gradle", ("ktor", "spring", "spring boot"),
             ("io.ktor:ktor-core", "org.springframework:spring-core", "org.springframework.boot"), (), ()),
            id="gradle, catalog of versions",
        ),
        pytest.param(
            "Gemfile",
            "source 'https://rubygems.org'\n# gem 'sinatra'\ngem 'rails', '~> 7'\ngroup :test do\n  gem(\"rspec-rails\")\nend\n",
            ["config/application.rb"],
            ("Ruby", "", ("rails", "rspec-rails"), ("rails", "rspec-rails"), (),
             (EntryPoint("config/application.rb", "Rails application"),)),
            id="bundler",
        ),
        pytest.param(
            "shop.gemspec",
            'Gem::Specification.new do |spec|\n  spec.name = "shop"\n  spec.add_dependency "thor", ">= 1"\n'
            '  spec.add_development_dependency("minitest")\nend\n',
            ["lib/shop.rb", "exe/shop"],
            ("Ruby", "shop", ("minitest",), ("thor", "minitest"), (),
             (EntryPoint("lib/shop.rb", "library shop"), EntryPoint("exe/shop", "command shop"))),
            id="gemspec",
        ),
        pytest.param(
            "composer.json",
            '{"name": "acme/shop", "require": {"php": "^8.2", "ext-json": "*", "laravel/framework": "^11"},'
            ' "require-dev": {"phpunit/phpunit": "^11"}, "scripts": {"test": ["@php artisan config:clear", "@php artisan test"]},'
            ' "bin": ["bin/shop"]}',
            ["artisan", "bin/shop", "public/index.php"],
            ("PHP", "acme/shop", ("laravel", "phpunit"), ("laravel/framework", "phpunit/phpunit"),
             (("test", "@php artisan config:clear && @php artisan test"),),
             (EntryPoint("bin/shop", "command bin/shop"), EntryPoint("artisan", "console of Laravel"),
              EntryPoint("public/index.php", "web application"))),
            id="composer",
        ),
        pytest.param(
            "Shop.Web/Shop.Web.csproj",
            '<Project Sdk="Microsoft.NET.Sdk.Web">\n  <!-- <PackageReference Include="Old" /> -->\n  <ItemGroup>\n'
            '    <PackageReference Include="xunit" Version="2.9.0" />\n  </ItemGroup>\n</Project>\n',
            ["Shop.Web/Program.cs"],
            ("C#", "Shop.Web", ("asp.net core", "xunit"), ("xunit", "Microsoft.NET.Sdk.Web"), (),
             (EntryPoint("Shop.Web/Program.cs", "program Shop.Web"),)),
            id="csproj",
        ),
        pytest.param(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.16)\nproject(shop LANGUAGES C CXX)\n# find_package(Boost)\n"
            "find_package(GTest REQUIRED)\nadd_executable(shopd\n  src/main.c src/cart.c)\n",
            ["src/main.c"],
            ("C++", "shop", ("gtest",), ("GTest",), (), (EntryPoint("src/main.c", "program shopd"),)),
            id="cmake",
        ),
        pytest.param(
            "mix.exs",
            'defmodule Shop.MixProject do\n  def project, do: [app: :shop, deps: deps()]\n  defp deps do\n'
            '    [{:phoenix, "~> 1.7"}, {:ecto_sql, path: "../ecto"}]\n  end\nend\n',
            ["lib/shop/application.ex", "lib/shop.ex"],
            ("Elixir", "shop", ("ecto_sql", "phoenix"), ("phoenix", "ecto_sql"), (),
             (EntryPoint("lib/shop/application.ex", "application shop"), EntryPoint("lib/shop.ex", "library shop"))),
            id="mix",
        ),
        pytest.param(
            "Package.swift",
            'let package = Package(\n  name: "Shop",\n  dependencies: [\n'
            '    .package(url: "https://github.com/vapor/vapor.git", from: "4.0.0"),\n  ])\n',
            ["Sources/Shop/main.swift"],
            ("Swift", "Shop", ("vapor",), ("vapor",), (), (EntryPoint("Sources/Shop/main.swift", "program Shop"),)),
            id="swift",
        ),
    ],
)  # fmt: skip
def test_a_manifest_tells(path: str, text: str, paths: list[str], expected: tuple[object, ...]) -> None:
    found = read_manifest(path, text, ProjectPaths([*paths, path]))
    assert found is not None
    told = (found.language, found.name, found.frameworks, found.dependencies, found.scripts, found.entry_points)
    assert told == expected


@given(st.sampled_from(NAMES), st.text(max_size=200))
def test_no_manifest_is_too_strange(name: str, text: str) -> None:
    assert is_manifest(name)
    read_manifest(name, text, ProjectPaths([name]))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("pyproject.toml", "[project\nname=", id="broken toml"),
        pytest.param("pyproject.toml", "project = 3\n", id="a number for a table"),
        pytest.param("pyproject.toml", "[project]\ndependencies = 5\nscripts = [1]\nname = ['x']\n", id="wrong types"),
        pytest.param("package.json", "[]", id="a list for an object"),
        pytest.param(
            "package.json", '{"bin": 3, "scripts": [], "dependencies": "x", "main": {}}', id="wrong json types"
        ),
        pytest.param("Cargo.toml", "bin = 3\ndependencies = 'x'\n", id="wrong cargo types"),
        pytest.param("composer.json", '{"require": [], "scripts": 3, "bin": {}}', id="wrong composer types"),
        pytest.param("src/CMakeLists.txt", "add_library(a a.c)\n", id="a part of another project"),
    ],
)
def test_a_broken_manifest_does_no_harm(name: str, text: str) -> None:
    found = read_manifest(name, text, ProjectPaths([name]))
    assert found is None or found.dependencies == ()


async def test_entry_points_belong_to_the_innermost_manifest(project: Project) -> None:
    project.write(
        {
            "package.json": '{"name": "root"}',
            "api/pyproject.toml": "[project]\nname = 'api'\n",
            "api/main.py": "app = FastAPI()\n",
            "web/package.json": '{"name": "web", "main": "index.js"}',
            "web/index.js": "",
            "tool/Main.java": "class Main { public static void main(String[] a) {} }\n",
            "tests/main.py": "",
        }
    )
    found = {each.manifest: each.entry_points for each in await project.index().frameworks()}
    assert found == {
        "package.json": (EntryPoint("tool/Main.java", "main function"),),
        "api/pyproject.toml": (EntryPoint("api/main.py", "FastAPI application"),),
        "web/package.json": (EntryPoint("web/index.js", "main of the package"),),
    }
