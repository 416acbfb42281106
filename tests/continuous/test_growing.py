"""Runs of rows that grow, shrink, come and go in one table."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eventide.continuous.growing import Blocks, Lease, Run, Runs, Table, Told

DEEDS = st.lists(
    st.tuples(st.sampled_from(["new", "drop", "append", "cut"]), st.integers(0, 99), st.integers(0, 99)),
    max_size=200,
)


def new_run(table: Runs) -> tuple[Run, Told]:
    told = Told(Table(4, np.int64, lambda: None), 1, 2, 0, 3)
    return table.new_run(told), told


def append(run: Run, *row: int) -> None:
    """Add a row, as the stepper does it, which is told where the run ends."""
    if run.count == run.room:
        run.grow()
    run.table.array[run.start + run.count] = row
    told = run.told
    told.table.view[told.row, told.end] += 1


def cut(run: Run, count: int) -> None:
    """Let a run have so many rows."""
    run.told.table.view[run.told.row, run.told.end] = run.start + count


def rows_told(table: Runs, told: Told) -> list[list[int]]:
    row = told.table.array[told.row]
    return [list(items) for items in table.array[row[told.first] : row[told.end]].tolist()]


@given(DEEDS)
def test_each_run_keeps_its_rows_whatever_becomes_of_the_others(deeds: list[tuple[str, int, int]]) -> None:
    table = Runs(1, lambda: None)
    held: list[tuple[Run, list[int], Told]] = []
    for number, (deed, which, place) in enumerate(deeds):
        if deed == "new" or not held:
            run, told = new_run(table)
            held.append((run, [], told))
            continue
        run, rows, _ = held[which % len(held)]
        if deed == "drop":
            table.drop(run)
            held = [item for item in held if item[0] is not run]
        elif deed == "append":
            append(run, number)
            rows.append(number)
        else:
            del rows[place % (len(rows) + 1) :]
            cut(run, len(rows))
    assert [run.rows() for run, *_ in held] == [[[row] for row in rows] for _, rows, _ in held]
    assert [rows_told(table, told) for *_, told in held] == [[[row] for row in rows] for _, rows, _ in held]


def test_room_of_runs_that_are_gone_is_used_again() -> None:
    table = Runs(2, lambda: None)
    kept, _ = new_run(table)
    append(kept, 1, 2)
    for _ in range(1_000):
        run, _ = new_run(table)
        for number in range(10):
            append(run, number, number)
        table.drop(run)
    assert kept.rows() == [[1, 2]]
    assert len(table.array) <= 256


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 5)), max_size=200))
def test_what_is_put_in_blocks_stays_until_they_are_given_back(deeds: list[tuple[bool, int, int]]) -> None:
    grown: list[int] = []
    blocks = Blocks(np.int64, lambda: grown.append(1), capacity=4)
    held: list[tuple[Lease, tuple[int, ...]]] = []
    most = 0
    for number, (is_put, which, size) in enumerate(deeds):
        if is_put or not held:
            numbers = (number,) * size
            held.append((blocks.put(numbers), numbers))
        else:
            (free, place), _ = held.pop(which % len(held))
            free.append(place)
        most = max(most, len(held))
    assert [tuple(blocks.view[place : place + len(n)]) for (_, place), n in held] == [n for _, n in held]
    assert blocks._used <= most * sum(range(6))
    assert blocks.view.obj is blocks.array


def test_a_block_that_is_given_back_is_the_next_of_its_size() -> None:
    blocks = Blocks(np.float64, lambda: None)
    free, place = blocks.put((1.0, 2.0))
    other = blocks.put((3.0,))[1]
    free.append(place)
    assert blocks.put((4.0,))[1] not in (place, other)
    assert blocks.put((5.0, 6.0))[1] == place
    assert blocks.array[[place, place + 1, other]].tolist() == [5.0, 6.0, 3.0]
