"""The guards that rows share: given out, given back, and taken away with a process that returns to Python."""

from __future__ import annotations

from eventide.rows import allocation, watches
from eventide.rows.codes import NONE, SHARED
from eventide.rows.memory import RowMemory


def shared() -> tuple[RowMemory, list[int], list[int]]:
    """Tables with three processes and two lists of guards, and which of these have begun a firing history."""
    memory, begun = RowMemory(), []
    memory.host.begin_history = begun.append
    kind = memory.add_kind(0, 0, None)
    assert [memory.engine.enter(memory.arrays, kind) for _ in range(3)] == [0, 1, 2]
    return memory, memory.set_shared_guards([[(5, NONE), (6, 1)], [(8, NONE)]]), begun


def test_a_process_takes_one_of_its_list_and_gives_it_back_at_its_end() -> None:
    memory, (first, second), begun = shared()
    a = memory.views
    assert [watches.guard_for(a, 0, c) for c in (4, NONE, SHARED - first)] == [4, NONE, 5]
    assert watches.guard_for(a, 2, SHARED - first) == SHARED - first  # the other one has an owner
    assert watches.guard_for(a, 0, SHARED - second) == 8
    assert begun == [5, 8]
    allocation.leave_rows(a, 0)
    assert watches.guard_for(a, 2, SHARED - first) == 5
    watches.leave_guards(a, 1)
    assert watches.guard_for(a, 2, SHARED - first) == 6
    assert begun == [5, 8, 5, 6]


def test_guards_that_have_gone_with_their_process_are_given_to_none() -> None:
    memory, (first, second), _ = shared()
    a = memory.views
    assert [watches.guard_for(a, 0, SHARED - home) for home in (first, second)] == [5, 8]
    assert [a.shared.guard[g] for g in watches.take_guards(a, 0)] == [8, 5]
    allocation.leave_rows(a, 0)
    assert [watches.guard_for(a, 2, SHARED - home) for home in (first, second)] == [SHARED - first, SHARED - second]
