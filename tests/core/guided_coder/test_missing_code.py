"""What counts as not written yet, by what the failing tests use and say."""

import pytest

from mulligan.core.fault_localisation.ranking import Focus, SourceFile
from mulligan.core.fault_localisation.spectrum import Spectrum, TracedTest
from mulligan.core.guided_coder.missing_code import missing_code, missing_names
from mulligan.core.writing.task import WritingTask


def missing(
    code: str,
    *tested: str,
    said: str = "",
    path: str = "a.py",
    blank: tuple[str, ...] = (),
    ran: tuple[int, ...] | None = None,
) -> list[WritingTask]:
    """`ran` are the lines that a failing test ran, if that is known."""
    sources = [SourceFile(path, tuple(code.rstrip("\n").split("\n")))] if code else []
    spectrum = None if ran is None else Spectrum((TracedTest("t", passed=False, lines={path: frozenset(ran)}),))
    focus = Focus(frozenset(tested), spectrum=spectrum)
    return list(
        missing_code(
            "goal", outputs=[said], failures=(), tests=(), sources=sources, blank=blank, focus=focus, documents={}
        )
    )


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("a.py", "    pass"),
        ("a.py", "    ..."),
        ("a.py", '    """Does it."""'),
        ("a.py", "    raise NotImplementedError"),
        ("a.py", '    """Does it."""\n    raise NotImplementedError("later")'),
        ("a.py", "    # TODO\n    return None"),
        ("a.go", '\tpanic("Please implement the f function")'),
        ("a.ts", "  throw new Error('Remove this line and implement the function')"),
        ("a.ts", "  // TODO: count\n  return 0;"),
        ("a.rs", "    todo!()"),
    ],
)
def test_a_stub_that_a_failing_test_names_is_missing(path: str, body: str) -> None:
    heads = {
        "py": ("def f(x):\n", ""), "go": ("package a\n\nfunc f(x int) int {\n", "\n}"),
        "ts": ("export function f(x: number): number {\n", "\n}"), "rs": ("pub fn f(x: i32) -> i32 {\n", "\n}"),
    }  # fmt: skip
    before, after = heads[path[-2:]]
    (task,) = missing(f"{before}{body}{after}", "f", path=path)
    assert (task.path, task.names, task.whole, task.certain) == (path, ("f",), True, True)


FULL = "def g():\n    return 1\n\n\n"


@pytest.mark.parametrize(
    ("code", "tested", "certain"),
    [
        pytest.param(f"{FULL}def f():\n    raise NotImplementedError\n", "f", True, id="it says so"),
        pytest.param(f"{FULL}def f():\n    pass\n", "f", False, id="it may be meant to do nothing"),
        pytest.param(f"{FULL}def f():\n    pass\n", "g", None, id="no test names it"),
        pytest.param(f"{FULL}def f():\n    return None\n", "f", None, id="it returns nothing, and no TODO"),
        pytest.param(
            "class A:\n    def close(self):\n        pass\n\n    def n(self):\n        return 1\n",
            "A",
            None,
            id="of a class",
        ),
        pytest.param("class A:\n    @abstractmethod\n    def f(self):\n        ...\n", "f", None, id="abstract"),
    ],
)
def test_what_does_nothing_is_missing_for_certain_only_where_it_says_so(
    code: str, tested: str, certain: bool | None
) -> None:
    found = missing(code, tested)
    assert (found[0].certain if found else None) is certain


ABSTRACT = [
    pytest.param(
        "a.py", "class A:\n    def f(self):\n        raise NotImplementedError\n\n\n"
        "class B(A):\n    def f(self):\n        return 1\n", id="Python, a base class",
    ),
    pytest.param(
        "a.py", "class A(Protocol):\n    def f(self): ...\n\n\nclass B:\n    def f(self):\n        return 1\n",
        id="Python, a protocol",
    ),
    pytest.param(
        "a.js", "class A {\n  f() {\n    throw new Error('not implemented')\n  }\n}\n"
        "class B extends A {\n  f() {\n    return 1\n  }\n}\n", id="JavaScript, a base class",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "code"), ABSTRACT)
@pytest.mark.parametrize("ran", [pytest.param(None, id="no trace"), pytest.param((7, 8), id="traced")])
def test_an_abstract_method_is_not_missing(path: str, code: str, ran: tuple[int, ...] | None) -> None:
    assert missing(code, "f", "B", path=path, ran=ran) == []


def test_an_abstract_method_that_a_failing_test_ran_is_missing_for_certain() -> None:
    path, code = ABSTRACT[0].values
    (task,) = missing(str(code), "f", path=str(path), ran=(2, 3))
    assert (task.names, task.certain) == (("A.f",), True)


@pytest.mark.parametrize(("ran", "certain"), [((6,), True), ((2,), False)])
def test_where_it_is_known_what_ran_a_stub_is_certain_only_if_it_did(ran: tuple[int, ...], certain: bool) -> None:
    (task,) = missing(f"{FULL}def f():\n    raise NotImplementedError\n", "f", ran=ran)
    assert task.certain is certain


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("ImportError: cannot import name 'f' from 'shop.cart' (/x/cart.py)", ("cart", "f")),
        ("AttributeError: 'Cart' object has no attribute 'total'", ("Cart", "total")),
        ("AttributeError: type object 'Cart' has no attribute 'empty'", ("Cart", "empty")),
        ("AttributeError: module 'shop' has no attribute 'f'", ("shop", "f")),
        ("SyntaxError: The requested module './a.js' does not provide an export named 'f'", ("", "f")),
        ("TypeError: cart.total is not a function", ("", "total")),
        ("TypeError: (0 , a.f) is not a function", ("", "f")),
        ("./a_test.go:6:12: undefined: Distance", ("", "Distance")),
        ("c.Add undefined (type Clock has no field or method Add)", ("Clock", "Add")),
    ],
)
def test_runners_say_what_is_not_there(said: str, found: tuple[str, str]) -> None:
    assert found in list(missing_names(said))


def test_a_name_that_only_the_code_uses_is_a_slip_and_not_missing() -> None:
    code = "class Cart:\n    def total(self):\n        return self.itmes\n"
    assert missing(code, "Cart", "total", said="AttributeError: 'Cart' object has no attribute 'itmes'") == []


def test_an_empty_file_is_written_where_nothing_else_is_missing() -> None:
    (task,) = missing("", "f", blank=("leap.py",))
    assert (task.path, task.names, task.whole) == ("leap.py", (), True)
