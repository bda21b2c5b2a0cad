from array import array

from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.link_graph import PackedRows, pack_rows

ROWS = st.lists(st.lists(st.integers(-5, 2**31 - 1), max_size=5), min_size=1, max_size=8)


@given(rows=ROWS, changes=st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 9), max_size=4)), max_size=4))
def test_rows_come_back_as_they_were_put_in(rows: list[list[int]], changes: list[tuple[int, list[int]]]) -> None:
    made = pack_rows(rows)
    for number, row in changes:
        rows[number % len(rows)] = row
        made[number % len(rows)] = array("i", row)
    for each in (made, PackedRows(made.packed())):
        assert [[*each[place]] for place in range(len(each))] == rows
        assert [*each.lengths()] == [len(row) for row in rows]


def test_no_rows_at_all() -> None:
    assert len(PackedRows(pack_rows([]).packed())) == 0
