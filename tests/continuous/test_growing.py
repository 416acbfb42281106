"""Runs of rows that grow, shrink, come and go in one table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eventide.continuous.growing import Run, Runs

DEEDS = st.lists(
    st.tuples(st.sampled_from(["new", "drop", "insert", "delete", "clear"]), st.integers(0, 99), st.integers(0, 99)),
    max_size=200,
)


@given(DEEDS)
def test_each_run_keeps_its_rows_whatever_becomes_of_the_others(deeds: list[tuple[str, int, int]]) -> None:
    table = Runs(1, lambda: None)
    held: list[tuple[Run, list[int]]] = []
    for number, (deed, which, place) in enumerate(deeds):
        if deed == "new" or not held:
            held.append((table.new_run(), []))
            continue
        run, rows = held[which % len(held)]
        if deed == "drop":
            table.drop(run)
            held = [item for item in held if item[0] is not run]
        elif deed == "clear":
            run.clear()
            rows.clear()
        elif deed == "insert":
            run.insert(place % (len(rows) + 1), (number,))
            rows.insert(place % (len(rows) + 1), number)
        elif rows:
            run.delete(place % len(rows))
            del rows[place % len(rows)]
    assert [run.rows() for run, _ in held] == [[[row] for row in rows] for _, rows in held]


def test_room_of_runs_that_are_gone_is_used_again() -> None:
    table = Runs(2, lambda: None)
    kept = table.new_run()
    kept.append((1, 2))
    for _ in range(1_000):
        run = table.new_run()
        for number in range(10):
            run.append((number, number))
        table.drop(run)
    assert kept.rows() == [[1, 2]]
    assert len(table.array) <= 256
