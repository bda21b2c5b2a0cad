import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.manifests import is_manifest, read_manifest
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.types.codecontext import EntryPoint
from tests.codecontext.conftest import Project

NAMES = [
    "pyproject.toml", "setup.cfg", "setup.py", "requirements-dev.txt", "package.json", "go.mod", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts",
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
