"""The event list of rows has the keys and the order of `discrete/calendar.py`, to the bit."""

from __future__ import annotations

from heapq import heappop
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.discrete.calendar import PLAIN as HELD
from eventide.discrete.calendar import Calendar, Notice
from eventide.rows import event_list
from eventide.rows.allocation import enter, has_room
from eventide.rows.memory import RowMemory

OPERATIONS = ("schedule", "last", "front", "prior", "displace", "stretch")


class Activity:
    """What stands in Python's event list."""

    _notice: Notice | None = None


class Both:
    """Python's event list and that of rows, which are told the same."""

    def __init__(self, activities: int) -> None:
        self.calendar = Calendar()
        self.activities = [Activity() for _ in range(activities)]
        self.memory = RowMemory()
        self.a = self.memory.views
        self.memory.run.turn = 1
        kind = self.memory.add_kind(0, 0, None)
        for i in range(activities):
            if not has_room(self.a, kind):
                self.memory.grow()
            self.a = self.memory.views
            assert enter(self.a, kind) == i
        self.now = 0.0

    def do(self, operation: str, i: int, time: float) -> None:
        """Let both do the same."""
        activity, calendar, a, now = self.activities[i], self.calendar, self.a, self.now
        if operation == "stretch":
            calendar.begin_stretch()
            self.memory.run.turn += 1
        elif operation == "displace":
            activity._notice = None
            event_list.displace(a, i)
        elif activity._notice is not None:
            pass
        elif operation == "schedule":
            calendar.schedule(time, now, activity)
            event_list.schedule(a, i, time)
        elif operation == "last":
            calendar.schedule_last(now, activity)
            event_list.schedule_last(a, i)
        elif operation == "prior":
            calendar.schedule_prior(time, now, activity)
            event_list.schedule_prior(a, i, time)
        elif operation == "front":
            # The first of a stretch has no serial number in Python, wherever the path is (0, 0).
            calendar.schedule_front(now, activity)
            event_list.schedule_front(a, i)

    def hold(self, i: int, time: float) -> None:
        """Let who runs hold until a time to come."""
        calendar, activity = self.calendar, self.activities[i]
        if activity._notice is None:
            activity._notice = notice = (time, calendar.turn, HELD, activity)
            calendar.heap.append(notice)
            calendar.heap.sort()
            event_list.schedule_hold(self.a, i, time)

    def take(self) -> tuple[Any, Any]:
        """The next event of both: its key and whose it is."""
        calendar = self.calendar
        notice = calendar.first()
        i = event_list.take_event(self.a, inf, inf, 0, inf)
        if notice is None:
            return None, (None if i < 0 else i)
        for notices in (calendar.front, calendar.ready):
            if notice in notices:
                notices.remove(notice)
        if calendar.heap[0] is notice:
            heappop(calendar.heap)
        notice[3]._notice = None
        calendar.turn = next(calendar.numbers)
        self.now = notice[0]
        found = (self.a.activity.due[i], self.memory.run.turn, i)
        return (notice[0], calendar.turn, self.activities.index(notice[3])), found

    def keys(self) -> tuple[Any, Any]:
        """The keys of all that stand in both lists."""
        told = [activity._notice and (*activity._notice[:2], activity._notice[2][0]) for activity in self.activities]
        columns = self.a.activity
        rows = range(len(self.activities))
        found = [
            (columns.due[i], columns.sequence[i], columns.serial[i]) if columns.sequence[i] else None for i in rows
        ]
        return told, found


@pytest.mark.slow
@given(st.integers(0, 10**9))
def test_keys_and_order_are_those_of_the_calendar(seed: int) -> None:
    random = Random(seed)
    both = Both(random.choice((3, 10, 70)))
    times = [0.0, 0.25, 0.5, 1.0, 1.0, 2.0, -1.0]
    operations = random.choices(OPERATIONS, k=random.randint(2, 8))
    for _ in range(60):
        for _ in range(random.randint(0, 12)):
            both.do(random.choice(operations), random.randrange(len(both.activities)), both.now + random.choice(times))
        told, found = both.keys()
        assert found == told
        told, found = both.take()
        assert found == told
        if told is not None and random.random() < 0.6:
            both.hold(told[2], both.now + random.choice((0.25, 1.0, 3.0)))
        event_list.close_event(both.a)


def test_a_heap_full_of_stale_notices_is_swept() -> None:
    memory = RowMemory()
    a = memory.views
    kind = memory.add_kind(0, 0, None)
    a = memory.views
    memory.run.turn = 1
    rows = [enter(a, kind) for _ in range(10)]
    for times in range(200):
        for i in rows:
            event_list.displace(a, i)
            event_list.schedule(a, i, 1.0 + (7 * i + times) % 10)
    assert memory.run.notices <= memory.run.notice_room
    taken = [event_list.take_event(a, inf, inf, 0, inf) for _ in rows]
    assert sorted(taken) == rows
    assert [a.activity.due[i] for i in taken] == sorted(a.activity.due[i] for i in rows)


def test_a_heap_full_of_notices_of_one_key_is_swept() -> None:
    memory = RowMemory()
    kind = memory.add_kind(0, 0, None)
    a = memory.views
    memory.run.turn = 1
    rows = [enter(a, kind) for _ in range(3)]
    for _ in range(100):
        for i in rows:
            event_list.displace(a, i)
            event_list.place(a, i, 1.0, float(-i - 1), 0)
    assert memory.run.notices <= memory.run.notice_room
    assert [event_list.take_event(a, inf, inf, 0, inf) for _ in range(4)] == [2, 1, 0, -1]


def test_of_four_notices_at_one_time_the_first_is_that_of_the_least_key() -> None:
    both, rng = Both(64), Random(3)
    for i in range(64):
        both.do("stretch", i, 0.0)
        both.do("schedule", i, float(rng.randint(1, 3)))
    found = []
    while (event := both.take())[0] is not None:
        assert event[0] == event[1]
        found.append(event[0][2])
    assert sorted(found) == list(range(64))


@pytest.mark.parametrize("others", range(12))
def test_unused_rows_have_places_for_their_numbers_whatever_else_takes_some(others: int) -> None:
    memory = RowMemory()
    kind = memory.add_kind(300, 400, None)
    for k in range(others):
        if k % 3:
            memory.add_tally([].extend)
        else:
            memory.add_level(500)
    entered = 0
    while has_room(memory.views, kind):
        a = memory.views
        i = enter(a, kind)
        a.wholes[a.activity.wholes[i] + 299] = 1
        a.reals[a.activity.reals[i] + 399] = 1.0
        entered += 1
    assert entered > 10
