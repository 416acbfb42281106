"""Random processes over rows do what generator functions do: the same events, waits and statistics, to the bit."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_scripts import (
    ACTIVATE,
    ACTIVATE_AT,
    AGAIN,
    ASK,
    CANCEL,
    HOLD,
    IN_PYTHON,
    INTERRUPT,
    JOIN,
    LEAVE,
    LEVEL,
    PASSIVATE,
    PRIOR,
    SPAWN,
    TALLY,
    Command,
    Program,
    Station,
    carried_out,
    told,
)

# Programs may end in a deadlock, of which a run warns.
pytestmark = pytest.mark.filterwarnings("ignore::eventide.errors.IdleWarning")

EASY = (HOLD, HOLD, SPAWN, TALLY, LEVEL, IN_PYTHON)
QUEUES = (HOLD, HOLD, SPAWN, ASK, ASK, LEAVE, TALLY)
ALL = (*QUEUES, JOIN, INTERRUPT, AGAIN, PASSIVATE, ACTIVATE, ACTIVATE_AT, PRIOR, CANCEL, LEVEL, IN_PYTHON)
PREEMPTIONS = (HOLD, ASK, ASK, LEAVE, AGAIN, AGAIN, SPAWN, INTERRUPT)
TIMES = (0.0, 0.5, 1.0, 0.1, 1.0 / 3.0, 2.0)


def random_program(seed: int, codes: tuple[int, ...]) -> Program:
    """A random program: ties are frequent, and so are processes that want the same."""
    random = Random(seed)
    count = random.randint(1, 5)
    likely = 1.0 if codes is PREEMPTIONS else 0.4
    stations = [Station(random.choice((1, 2, 2, 3)), random.random() < likely) for _ in range(random.randint(1, 3))]

    def command() -> Command:
        code = random.choice(codes)
        if code == ASK:
            priority = random.choice((0.0, 0.0, 1.0, 2.0, 3.0, -1.0))
            return Command(code, random.randint(0, 1), random.randint(0, 2), random.randint(-2, 2), priority)
        if code in (LEAVE, AGAIN):
            return Command(code, random.randint(0, 1))
        if code == SPAWN:
            return Command(code, random.randrange(count))
        value = random.random() if code in (TALLY, HOLD) and random.random() < 0.5 else random.choice(TIMES)
        return Command(code, random.randint(0, 7), random.randint(0, 3), 0, value)

    scripts = [[command() for _ in range(random.randint(0, 14))] for _ in range(count)]
    begin = [random.randrange(count) for _ in range(random.randint(1, 8))]
    return Program(scripts, begin, stations, random.choice((3.0, 20.0)))


@pytest.mark.slow
@given(st.integers(0, 10**9), st.sampled_from([EASY, QUEUES, PREEMPTIONS, ALL]))
def test_a_random_program_does_the_same_over_rows(seed: int, codes: tuple[int, ...]) -> None:
    program = random_program(seed, codes)
    spells = Random(seed)
    assert carried_out(program, is_native=False, spells=lambda: spells.choice((1, 3, 1000))) == told(program)


@pytest.mark.slow
@pytest.mark.parametrize("codes", [EASY, QUEUES, PREEMPTIONS, ALL], ids=["easy", "queues", "preemptions", "all"])
def test_many_random_programs_do_the_same_over_rows_natively(codes: tuple[int, ...]) -> None:
    different = []
    for seed in range(60):
        program = random_program(seed, codes)
        spells = Random(seed)
        if carried_out(program, is_native=True, spells=lambda: spells.choice((1, 3, 1000))) != told(program):  # noqa: B023
            different.append(seed)
    assert different == []


def test_no_interrupt_follows_where_a_process_has_given_up_the_unit_that_was_taken() -> None:
    first = [Command(ASK), Command(HOLD, value=5.0), Command(LEAVE), Command(HOLD, value=3.0)]
    second = [Command(HOLD, value=1.0), Command(INTERRUPT, 0, 7), Command(ASK, value=1.0), Command(HOLD, value=2.0)]
    program = Program([first, second], [0, 1], [Station(1, is_preemptive=True)])
    done = carried_out(program, is_native=False)
    assert done == told(program)
    interrupts = [line for line in done.log if line[2] < 0.0]
    assert interrupts == [(1.0, 0.0, -1.0, 4.0), (1.0, 0.0, -2.0, 7.0)]
