"""Runs of rows that grow, shrink, come and go in one table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.engine.memory.growable_arrays import Allocation, Blocks, Columns, Run, Runs, Table, float_table, int_table
from eventide.engine.records import FlowRecord

DEEDS = st.lists(
    st.tuples(st.sampled_from(["new", "append", "cut"]), st.integers(0, 99), st.integers(0, 99)),
    max_size=200,
)


COLUMNS = Columns(1, 2, 0)


class Shelf:
    """A table of runs, and the table that tells where each of them is."""

    def __init__(self, columns: int) -> None:
        self.told = Table(4, np.int64, lambda: None)
        self.held: list[Run] = []
        self.runs = Runs(columns, lambda: None, lambda: self.held)

    def new_run(self) -> Run:
        run = Run(self.runs, self.told, self.told.allocate(), COLUMNS)
        self.held.append(run)
        return run


def append(run: Run, *row: int) -> None:
    """Add a row, as the stepper does it, which is told where the run ends."""
    if run.count == run.room:
        run.grow()
    run.table.array[run.start + run.count] = row
    run.told.view[run.row, COLUMNS.end] += 1


def cut(run: Run, count: int) -> None:
    """Let a run have so many rows."""
    run.told.view[run.row, COLUMNS.end] = run.start + count


@pytest.mark.slow
@given(DEEDS)
def test_each_run_keeps_its_rows_whatever_becomes_of_the_others(deeds: list[tuple[str, int, int]]) -> None:
    shelf = Shelf(1)
    held: list[tuple[Run, list[int]]] = []
    for number, (deed, which, place) in enumerate(deeds):
        if deed == "new" or not held:
            held.append((shelf.new_run(), []))
            continue
        run, rows = held[which % len(held)]
        if deed == "append":
            append(run, number)
            rows.append(number)
        else:
            del rows[place % (len(rows) + 1) :]
            cut(run, len(rows))
    assert [run.rows() for run, _ in held] == [[[row] for row in rows] for _, rows in held]
    assert all(run.count <= run.room for run, _ in held)
    assert shelf.runs._promised == sum(run.room for run, _ in held)


def test_room_that_runs_have_left_behind_is_used_again() -> None:
    shelf = Shelf(2)
    kept, *others = [shelf.new_run() for _ in range(3)]
    append(kept, 1, 2)
    for number in range(500):
        for run in others:
            append(run, number, -number)
        assert shelf.runs._used <= 2 * shelf.runs._promised + 64
    assert kept.rows() == [[1, 2]]
    assert others[0].rows() == others[1].rows() == [[number, -number] for number in range(500)]


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 5)), max_size=200))
def test_what_is_put_in_blocks_stays_until_they_are_given_back(deeds: list[tuple[bool, int, int]]) -> None:
    grown: list[int] = []
    blocks = Blocks(np.int64, lambda: grown.append(1), capacity=4)
    held: list[tuple[Allocation, tuple[int, ...]]] = []
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


@pytest.mark.parametrize("has_flat", [True, False])
def test_the_columns_of_a_record_are_of_the_table_that_it_has_now(has_flat: bool) -> None:
    record = FlowRecord()
    if has_flat:
        tables: list[Table[int] | Table[float]] = [int_table(record, lambda: None), float_table(record, lambda: None)]
        for table in tables:
            table.reserve(40)
    else:
        for rows in (16, 40):
            record.attach(np.zeros((rows, FlowRecord.widths["ints"]), np.int64))
            record.attach(np.zeros((rows, FlowRecord.widths["floats"])))
    record.ints[39, FlowRecord.place_of("entries")] = 7
    record.floats[39, FlowRecord.place_of("key")] = 0.5
    assert (record.entries[39], record.chain_hi[39], record.key[39], len(record.key)) == (7, 0, 0.5, 40)
