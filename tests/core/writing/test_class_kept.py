"""A class that came back in part: its head, fields, blocks and comments stay."""

import pytest

from mulligan.core.writing.placing import place_code

CART = """\
@register("cart")
class Cart(Base, Generic[T]):  # the one of the shop
    # Amounts are in cents.
    MAX: int = 10

    if DEBUG:
        z = 1

        def checked(self):
            return 1

    register(Base)

    @property
    def total(self):
        raise NotImplementedError

    # The last one.
    def clear(self):
        return None
"""
SCRIPT = """\
export class Cart extends Base {
  #items = [];
  currency = "EUR"; // of all amounts
  static MAX = 10;
  static {
    register(Cart);
  }

  // In cents.
  @cached total() {
    throw new Error("not implemented");
  }
}
"""
ONE_LINE = (
    'export class Cart { #items = []; currency = "EUR"; static MAX = 10; total() { throw new Error("todo"); } }\n'
)
TYPED = """\
@Injectable()
export abstract class Cart<T> extends Base<T> implements Sums {
  private readonly items: T[] = [];
  declare name: string;
  @Input() size: number;
  [key: string]: unknown;

  abstract clear(): void;

  add(item: T): void;
  add(item: T, count: number): void;
  add(item: T, count = 1): void {
    throw new Error("not implemented");
  }

  @Get("total")
  @Guard()
  protected total(): number {
    return 0;
  }
}
"""
TOTAL = "total(): number {\n    return this.items.length;\n  }"


def placed(path: str, text: str, code: str, *names: str) -> str:
    lines = place_code(path, text.rstrip("\n").split("\n"), code, names)
    assert lines is not None
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("class Cart:\n    def total(self):\n        return 0", id="the method"),
        pytest.param(
            "class Cart:\n    MAX: int = 10\n\n    def total(self):\n        return 0\n\n"
            "    def clear(self):\n        return None",
            id="all that it defines",
        ),
    ],
)
def test_a_class_of_python_keeps_what_the_reply_left_out(code: str) -> None:
    assert placed("cart.py", CART, code, "Cart.total") == CART.replace("raise NotImplementedError", "return 0")


def test_a_class_with_a_single_method_keeps_its_bases_and_comments() -> None:
    text = (
        "class Cart(Base, Generic[T]):\n    # Amounts are in cents.\n    def total(self):\n"
        "        raise NotImplementedError\n"
    )
    code = "class Cart:\n    def total(self):\n        return 0"
    assert placed("cart.py", text, code, "Cart.total") == text.replace("raise NotImplementedError", "return 0")


def test_a_docstring_stays_if_the_reply_has_another_or_none() -> None:
    text = "class Cart:\n    '''Sums.'''\n\n    def total(self):\n        pass\n"
    for doc in ("", "    '''A cart.'''\n\n"):
        code = f"class Cart:\n{doc}    def total(self):\n        return 0"
        assert placed("cart.py", text, code, "Cart.total") == text.replace("pass", "return 0")


def test_a_class_that_came_back_with_all_of_it_is_replaced() -> None:
    code = (
        'class Cart(Base, Generic[T], Sized):\n    """A cart."""\n\n'
        "    def total(self):\n        return self._sum()\n\n    def _sum(self):\n        return 0"
    )
    text = "class Cart(Base, Generic[T]):\n    def total(self):\n        pass\n"
    assert placed("cart.py", text, code) == f"{code}\n"


@pytest.mark.parametrize(
    ("head", "after"),
    [
        pytest.param("class Cart(Base, Sized):", "class Cart(Base, Sized):", id="one base more"),
        pytest.param("class Cart(Other):", "class Cart(Base):", id="another base"),
        pytest.param("@dataclass\nclass Cart:", "@dataclass\nclass Cart(Base):", id="a decorator"),
    ],
)
def test_the_head_of_a_class_changes_only_if_nothing_of_it_is_lost(head: str, after: str) -> None:
    text = "class Cart(Base):\n    # In cents.\n    def total(self):\n        pass\n"
    got = placed("cart.py", text, f"{head}\n    def total(self):\n        return 0")
    assert got == text.replace("class Cart(Base):", after).replace("pass", "return 0")


def test_new_fields_stand_beside_those_that_they_follow() -> None:
    code = (
        "class Cart:\n    MAX: int = 20\n    MIN: int = 1\n\n    def total(self):\n        return 0\n\n"
        "    rate = 3\n\n    def clear(self):\n        return None\n\n    def more(self):\n        return 1"
    )
    after = placed("cart.py", CART, code, "Cart.total")
    assert after == (
        CART.replace("    MAX: int = 10\n", "    MAX: int = 20\n    MIN: int = 1\n")
        .replace("raise NotImplementedError", "return 0")
        .replace("    # The last one.\n", "    rate = 3\n\n    # The last one.\n")
        + "\n    def more(self):\n        return 1\n"
    )


def test_a_block_that_the_reply_adds_comes_once_with_its_functions() -> None:
    text = "class Cart(Base):\n    def total(self):\n        pass\n"
    block = "    if DEBUG:\n        def show(self):\n            return 1"
    code = f"class Cart:\n    def total(self):\n        return 0\n\n{block}"
    assert placed("cart.py", text, code) == f"{text.replace('pass', 'return 0')}\n{block}\n"


@pytest.mark.parametrize("head", ["export class Cart", "class Cart extends Base"])
def test_a_class_of_javascript_keeps_what_the_reply_left_out(head: str) -> None:
    after = placed("cart.js", SCRIPT, f"{head} {{\n  total() {{\n    return 0;\n  }}\n}}", "Cart.total")
    assert after == SCRIPT.replace('throw new Error("not implemented")', "return 0")


def test_a_class_of_javascript_in_one_line_keeps_its_fields() -> None:
    after = placed("cart.js", ONE_LINE, "export class Cart { total() { return 0; } }", "Cart.total")
    assert after == ONE_LINE.replace('throw new Error("todo")', "return 0")


def test_fields_of_javascript_that_the_reply_changes_or_adds_get_in() -> None:
    block = "  static {\n    more();\n  }\n}"
    code = f'class Cart {{\n  currency = "USD";\n  rate = 3;\n  total() {{\n    return 0;\n  }}\n\n{block}'
    after = placed("cart.js", SCRIPT, code, "Cart.total")
    assert after == (
        SCRIPT.replace('"EUR"; // of all amounts\n', '"USD"; // of all amounts\n  rate = 3;\n')
        .replace('throw new Error("not implemented")', "return 0")
        .replace("    return 0;\n  }\n}", f"    return 0;\n  }}\n\n{block}")
    )


def test_a_class_of_typescript_keeps_what_the_reply_left_out() -> None:
    add = "add(item: T, count = 1): void {\n    f();\n  }"
    code = f"export class Cart<T> {{\n  items = [1];\n\n  {TOTAL}\n\n  {add}\n}}"
    assert placed("cart.ts", TYPED, code, "Cart.total") == (
        TYPED.replace("T[] = []", "T[] = [1]")
        .replace('throw new Error("not implemented")', "f()")
        .replace("return 0", "return this.items.length")
    )


def test_signatures_that_a_reply_changes_are_not_added_behind_the_method() -> None:
    code = "class Cart<T> {\n  add(item: unknown): void;\n  add(item: T, count = 1): void {\n    f();\n  }\n}"
    after = placed("cart.ts", TYPED, code, "Cart.add")
    assert after == TYPED.replace('throw new Error("not implemented")', "f()")


def test_an_interface_gets_what_the_reply_adds() -> None:
    text = "interface Sums {\n  total: number;\n  clear(): void;\n}\n"
    code = "interface Sums {\n  total: bigint;\n  tax: number;\n}"
    assert placed("sums.ts", text, code) == text.replace("number;\n", "bigint;\n  tax: number;\n")


def test_nothing_is_added_to_an_enumeration_without_its_commas() -> None:
    text = "enum Unit {\n  Cent = 1,\n  Euro = 100\n}\n"
    assert placed("unit.ts", text, "enum Unit {\n  Cent = 1,\n  Dollar = 90\n}") == text
    code = "enum Unit {\n  Cent = 1,\n  Euro = 100,\n  Dollar = 90\n}"
    assert placed("unit.ts", text, code) == f"{code}\n"
