"""What a question about one function says of the rest of the code: signatures, as far as they fit."""

import pytest

from mulligan.core.fault_localisation.ranking import SourceFile
from mulligan.core.guided_coder.outline import MAX_SIGNATURE_CHARS, outline_of
from mulligan.core.retrieval.excerpts import Excerpt

PYTHON = """\
FREE_FROM = 50


class Cart:
    limit = 3
    owner: str = ""

    def total(self, country="de"):
        return self.limit

    @property
    def is_free(self) -> bool:
        return True


def ship(cart, *, to):
    return cart
"""
JAVASCRIPT = """\
export const FREE_FROM = 50;

export class Cart {
  constructor(owner) {
    this.owner = owner;
  }

  total(country) {
    return 1;
  }
}

export function ship(cart, to) {
  return cart;
}

const later = (days) => days + 1;
"""
GO = """\
package cart

const FreeFrom = 50

type Cart struct {
	Owner string
}

func (c *Cart) Total(country string) int {
	return 1
}

func Ship(c Cart, to string) error {
	return nil
}
"""
PYTHON_OUTLINE = """\
cart.py:
FREE_FROM = 50
class Cart
    limit, owner
    def total(self, country="de")
    def is_free(self) -> bool
def ship(cart, *, to)"""
JAVASCRIPT_OUTLINE = """\
cart.js:
export const FREE_FROM = 50
export class Cart
    constructor(owner)
    total(country)
export function ship(cart, to)
const later = (days)"""
GO_OUTLINE = """\
cart.go:
const FreeFrom = 50
type Cart struct
    func (c *Cart) Total(country string) int
func Ship(c Cart, to string) error"""
ENOUGH = 10_000


def file(path: str, text: str) -> SourceFile:
    return SourceFile(path, tuple(text.rstrip("\n").split("\n")))


def showing(source: SourceFile, first: int, last: int) -> Excerpt:
    return Excerpt(source.path, first, last, source.text(first, last))


CART = file("cart.py", PYTHON)


@pytest.mark.parametrize(
    ("source", "outline"),
    [
        pytest.param(CART, PYTHON_OUTLINE, id="Python"),
        pytest.param(file("cart.js", JAVASCRIPT), JAVASCRIPT_OUTLINE, id="JavaScript"),
        pytest.param(file("cart.go", GO), GO_OUTLINE, id="Go"),
    ],
)
def test_a_file_is_told_by_its_signatures_and_the_fields_of_a_class_on_one_line(
    source: SourceFile, outline: str
) -> None:
    assert outline_of([source], [], ENOUGH) == outline


@pytest.mark.parametrize(
    ("source", "first", "last", "left"),
    [
        pytest.param(CART, 16, 17, PYTHON_OUTLINE.partition("\ndef ship")[0], id="Python"),
        pytest.param(
            file("cart.js", JAVASCRIPT), 8, 17, JAVASCRIPT_OUTLINE.partition("\n    total")[0], id="JavaScript"
        ),
        pytest.param(file("cart.go", GO), 9, 15, GO_OUTLINE.partition("\n    func")[0], id="Go"),
    ],
)
def test_what_is_shown_whole_is_not_repeated(source: SourceFile, first: int, last: int, left: str) -> None:
    assert outline_of([source], [showing(source, first, last)], ENOUGH) == left


def test_a_class_of_which_a_part_is_shown_is_told_with_the_rest_of_it() -> None:
    assert outline_of([CART], [showing(CART, 8, 9)], ENOUGH) == PYTHON_OUTLINE.replace(
        '    def total(self, country="de")\n', ""
    )


def test_what_is_shown_of_another_file_hides_nothing() -> None:
    elsewhere = Excerpt("other.py", 1, 17, CART.text(1, 17))
    assert outline_of([CART], [elsewhere], ENOUGH) == PYTHON_OUTLINE


def test_a_file_that_is_shown_whole_is_left_out() -> None:
    assert outline_of([CART], [showing(CART, 1, 17)], ENOUGH) == ""


@pytest.mark.parametrize(("path", "text"), [("notes.txt", "def f(): pass"), ("empty.py", ""), ("run.py", "print(1)")])
def test_a_file_without_symbols_is_left_out(path: str, text: str) -> None:
    assert outline_of([file(path, text), CART], [], ENOUGH) == PYTHON_OUTLINE


def test_files_follow_one_another_in_the_order_of_suspicion() -> None:
    found = outline_of([file("cart.go", GO), CART], [], ENOUGH)
    assert found == f"{GO_OUTLINE}\n{PYTHON_OUTLINE}"


@pytest.mark.parametrize("room", [0, 8, 24, 25, 100, 170])
def test_an_outline_ends_with_the_last_line_that_fits(room: int) -> None:
    whole = f"{PYTHON_OUTLINE}\n{GO_OUTLINE}\n"
    found = outline_of([CART, file("cart.go", GO)], [], room)
    assert found == whole[:room].rpartition("\n")[0]


def test_a_long_signature_is_cut() -> None:
    parameters = ", ".join(f"parameter_{number}" for number in range(30))
    found = outline_of([file("a.py", f"def f({parameters}):\n    return 1")], [], ENOUGH)
    assert found == f"a.py:\n{f'def f({parameters})'[:MAX_SIGNATURE_CHARS]}"
