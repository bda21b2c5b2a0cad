"""Commands that are found do run, and narrowed ones run just the tests that are asked for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.core.failures import read_report
from mulligan.core.project_commands import find_commands, manifests_among, narrow
from mulligan.types.fixing import FailingTest, TestReport

MISSING = "the languages of these tests are not installed: Node 20 or newer, and Go (`make golang`)"
SHOP = "def add(a, b):\n    return a - b\n"
UNITTEST = """
import unittest
from shop import add

class Cart(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
    def test_adds_nothing(self):
        self.assertEqual(add(1, 0), 1)
    def test_adds_more(self):
        self.assertEqual(add(2, 2), 4)
"""
PYTEST = """
import pytest
from shop import add

@pytest.mark.parametrize("a", [1, 2], ids=["one $HOME", "it's two"])
def test_adds(a):
    assert add(a, 2) == a + 2

def test_adds_nothing():
    assert add(1, 0) == 1
"""
NODE = """
const { describe, it } = require('node:test')
const assert = require('node:assert')
describe('cart', () => {
  it('adds $5 (fast)', () => assert.equal(1 - 2, 3))
  it('adds', () => {})
  it('adds more', () => {})
})
"""
MODULE = "module example.com/shop\n\ngo 1.18\n"
GO = """
package cart

import "testing"

func TestAdds(t *testing.T) {
	t.Run("two and two", func(t *testing.T) { t.Error("wrong") })
	t.Run("two", func(t *testing.T) { })
}
func TestAddsMore(t *testing.T) {}
"""


class Folder:
    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root = root
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)

    def command(self) -> str:
        paths = [path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()]
        files = {path: (self.root / path).read_text() for path in manifests_among(paths)}
        (found,) = find_commands(files, paths)
        return found.command

    def run(self, command: str | None) -> tuple[int, str]:
        ran = self.ran(command)
        return ran.returncode, ran.stdout + ran.stderr

    def report(self, command: str | None) -> TestReport:
        ran = self.ran(command)
        return read_report(command or "", ran.returncode, ran.stdout, ran.stderr)

    def ran(self, command: str | None) -> subprocess.CompletedProcess[str]:
        assert command
        beginning = str(Path(sys.executable).parent)
        environment = {
            **os.environ,
            "PATH": f"{beginning}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        return subprocess.run(
            ["bash", "-c", command], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )


def failing(test_id: str, *, name: str = "") -> FailingTest:
    return FailingTest(id=test_id, name=name)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        pytest.param({"shop.py": SHOP, "test_cart.py": UNITTEST}, "test_cart", id="at-the-top"),
        pytest.param({"shop.py": SHOP, "tests/test_cart.py": UNITTEST}, "test_cart", id="in-a-plain-folder"),
        pytest.param(
            {"shop.py": SHOP, "tests/__init__.py": "", "tests/test_cart.py": UNITTEST},
            "tests.test_cart",
            id="in-a-package",
        ),
        pytest.param({"src/shop.py": SHOP, "all tests/test_cart.py": UNITTEST}, "test_cart", id="of-a-src-layout"),
        pytest.param(
            {"src/shop/__init__.py": SHOP, "src/shop/tests/__init__.py": "", "src/shop/tests/test_cart.py": UNITTEST},
            "shop.tests.test_cart",
            id="within-a-package-in-src",
        ),
        pytest.param({"lib/requirements.txt": "", "lib/shop.py": SHOP, "lib/test_cart.py": UNITTEST}, "test_cart",
                     id="in-an-inner-project"),
    ],
)  # fmt: skip
def test_unittest_runs_all_tests_and_then_a_few(tmp_path: Path, files: dict[str, str], names: str) -> None:
    folder = Folder(tmp_path, files)
    command = folder.command()
    code, output = folder.run(command)
    assert (code, re.findall(r"Ran \d+|failures=\d+", output)) == (1, ["Ran 3", "failures=2"])
    wanted = [failing(f"{names}.Cart.test_adds"), failing(f"{names}.Cart.test_adds_nothing")]
    code, output = folder.run(narrow(command, wanted))
    assert (code, re.findall(r"Ran \d+|failures=\d+", output)) == (1, ["Ran 2", "failures=1"])
    code, output = folder.run(narrow(command, wanted[1:]))
    assert (code, re.findall(r"Ran \d+", output)) == (0, ["Ran 1"])


@pytest.mark.parametrize("shop", ["shop.py", "src/shop.py"])
def test_pytest_runs_all_tests_and_then_a_few(tmp_path: Path, shop: str) -> None:
    folder = Folder(tmp_path, {shop: SHOP, "tests/test_cart.py": PYTEST})
    command = folder.command()
    code, output = folder.run(command)
    assert code == 1
    assert "2 failed, 1 passed" in output
    ids = ["tests/test_cart.py::test_adds[one $HOME]", "tests/test_cart.py::test_adds[it's two]"]
    assert "2 failed in" in folder.run(narrow(command, [failing(each) for each in ids]))[1]
    assert "1 failed in" in folder.run(narrow(command, [failing(ids[1])]))[1]
    assert "1 passed in" in folder.run(narrow(command, [failing("tests/test_cart.py::test_adds_nothing")]))[1]


def test_node_runs_all_tests_and_then_a_few(tmp_path: Path) -> None:
    assert shutil.which("node"), MISSING
    folder = Folder(tmp_path, {"cart.test.js": NODE})
    command = folder.command()
    code, output = folder.run(command)
    assert code == 1
    assert (numbers(output, "pass"), numbers(output, "fail")) == ([2], [1])
    code, output = folder.run(narrow(command, [failing("cart > adds", name="adds")]))
    assert (code, numbers(output, "pass"), numbers(output, "fail")) == (0, [1], [0])
    code, output = folder.run(narrow(command, [failing("cart > adds $5 (fast)", name="adds $5 (fast)")]))
    assert (code, numbers(output, "pass"), numbers(output, "fail")) == (1, [0], [1])


def test_go_runs_all_tests_and_then_a_few(tmp_path: Path) -> None:
    assert shutil.which("go"), MISSING
    folder = Folder(tmp_path, {"go.mod": MODULE, "cart/cart_test.go": GO})
    command = folder.command()
    assert command == "go test ./..."
    assert folder.run(command)[0] == 1
    narrowed = narrow(command, [FailingTest(id="TestAddsMore", name="TestAddsMore", path="cart")])
    assert narrowed
    code, output = folder.run(narrowed.replace("go test", "go test -v"))
    assert (code, re.findall(r"=== RUN +(\S+)", output)) == (0, ["TestAddsMore"])
    narrowed = narrow(command, [FailingTest(id="TestAdds/two_and_two", name="two_and_two")])
    assert narrowed
    code, output = folder.run(narrowed.replace("go test", "go test -v"))
    assert (code, re.findall(r"=== RUN +(\S+)", output)) == (1, ["TestAdds", "TestAdds/two_and_two"])


@pytest.mark.parametrize(
    ("files", "program", "failing"),
    [
        pytest.param({"shop.py": SHOP, "tests/test_cart.py": PYTEST}, "python3", 2, id="pytest"),
        pytest.param({"shop.py": SHOP, "tests/test_cart.py": UNITTEST}, "python3", 2, id="unittest"),
        pytest.param({"cart.test.js": NODE}, "node", 1, id="node"),
        pytest.param({"go.mod": MODULE, "cart/cart_test.go": GO}, "go", 1, id="go"),
    ],
)
def test_what_a_report_names_can_be_run_again_alone(
    tmp_path: Path, files: dict[str, str], program: str, failing: int
) -> None:
    assert shutil.which(program), MISSING
    folder = Folder(tmp_path, files)
    command = folder.command()
    whole = folder.report(command)
    assert len(whole.failing) == failing
    narrowed = folder.report(narrow(command, whole.failing))
    assert {test.id for test in narrowed.failing} == {test.id for test in whole.failing}
    assert not narrowed.counts or narrowed.counts.passed == 0


def numbers(output: str, what: str) -> list[int]:
    """Of the last lines of Node's runner, whichever reporter wrote them."""
    return [int(number) for number in re.findall(rf"^\S {what} (\d+)$", output, re.MULTILINE)]
