"""Names of rows, words and codes in the arrays of the stepper. Columns of records are named in `records.py`.

Everything that changes between two events is a number in one of these arrays, so that the functions of `stepper.py`
and `scheduler.py` run over them plain or compiled. A slot has a number in each row: `Y` its value, `R` its rate, `K`
the rates at the stages. Stages are written to the row that users read (`Y`), so that a Python law, a compiled law and
a reporter read the same place and nothing is copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntNumbers: TypeAlias = NDArray[np.int64] | memoryview[int]
    """Whole numbers that native code finds by their address, and plain Python by a view."""
    Numbers: TypeAlias = NDArray[np.float64] | memoryview[float]
    """The same of real numbers."""
    NumberTable: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
    """An array of either."""

# Rows of the table of slots ------------------------------------------------------------------------------------------

Y: Final = 0
"""What laws, conditions and users see."""
R: Final = 1
"""The rates that belong to it."""
Y0: Final = 2
"""The states at the start of the step."""
E0: Final = 3
"""What rounding took from Y0: the exact state is nearer to Y0 + E0."""
MIDDLE: Final = 4
"""The states at which relative tolerances are measured."""
Y2: Final = 5
"""The states at the end of the step."""
E2: Final = 6
"""The rounding error of Y2."""
ABS: Final = 7
"""Absolute tolerances."""
REL: Final = 8
"""Relative tolerances."""
LOWEST: Final = 9
"""A lower bound of a state over the whole step, where conditions may be screened by it."""
HIGHEST: Final = 10
"""An upper bound."""
P: Final = 11
"""First of the rows that hold the interpolant's coefficients of theta, theta**2, ..."""
K: Final = 19
"""First of the rows that hold the rates of the stages; the one after the last stage: the rate at the end."""
KEPT: Final = 36
"""States as they were before an evaluation of laws that assign some, and may have to be executed again by Python."""
ROWS: Final = 37

# Codes in columns of records -----------------------------------------------------------------------------------------

SEVERAL: Final = -2
"""In `slot.user` and `slot.writer`: more than one, which Python lists."""
VALUES: Final = 1 << 40
"""Added to a slot that is written: its computed value or assigned state is meant, not its rate."""
BY_READING: Final = 0
"""In `slot.user` and `slot.uses`: the flow that depends on the slot."""
BY_TOUCHING: Final = 1
"""The flow with laws and conditions that touch the object of the slot."""
LATER_CONTRIBUTION: Final = 0
"""In `slab.later`: the place of the three numbers for contributions."""
LATER_EQUATION: Final = 3
"""The place of those for equations."""
ALONE: Final = -1
"""In `law.joint`: executed by itself."""
BY_OTHERS: Final = -2
"""Executed together with another law, at the place of that one."""
AT_END: Final = 2
"""In `guard.armed`: found false within the present step, which may still be cut."""
AS_NEEDED: Final = 2
"""In `guard.sampled`: at as many points as the event function needs."""
VALUELESS: Final = 2
"""In `run.aborted`: a condition has raised an error inside a step. It has no value there; its event may come before."""
RAISES: Final = 2
"""What a kernel returns where Python would raise, besides 0 and 1."""

# The record of laws or of a condition, in `lists` ----------------------------------------------------------------

CONTRIBUTES: Final = 0
"""Whether there are contributions; EQUATES: equations."""
EQUATES: Final = 1
CONTRIBUTION: Final = 2
"""The address of the kernel of each, and where its index row begins behind that of the first."""
CONTRIBUTION_ROW: Final = 3
EQUATION: Final = 4
EQUATION_ROW: Final = 5
SUMS_OF: Final = 6
"""Where in the second block the sums begin; SUM_COUNT: how many there are."""
SUM_COUNT: Final = 7
IS_INDIRECT: Final = 8
"""Whether some of the laws are not DIRECT."""
IS_UNSEEN: Final = 9
"""Whether they contain a branch, bend or jump that is not located."""
READ_COUNT: Final = 10
"""How many slots they depend on, how many blocks they touch, how many rates and values they write."""
TOUCH_COUNT: Final = 11
WRITE_COUNT: Final = 12
SET_COUNT: Final = 13
"""How many of these, the first of them, are set without having been read."""
GIVE_COUNT: Final = 14
"""To how many blocks laws give: they set what is computed there, sums or states."""
RECORD_HEAD: Final = 15
"""After the head, two numbers for each slot: the entry of the index row with the first slot of its block, and the
offset in that block; or -1 and the slot."""
USE: Final = 2
NO_ROOM: Final = -1
"""Nothing has been done: a table has to grow first."""
MAYBE: Final = 2
"""Not known here: ask Python."""

# An entry for a condition, in `constants` -----------------------------------------------------------------------------

WHO: Final = 0
"""The condition; -1 if it has left."""
SLOT_OF: Final = 1
"""The one state that it depends on."""
FLOOR: Final = 2
"""It is false while the state is between FLOOR and CEILING; NaN if there are no such levels."""
CEILING: Final = 3
ENTRY: Final = 4

# Two laws of a class as one: in `lists` ------------------------------------------------------------------------------

FIRST_LAW: Final = 0
"""The address of the kernel of its contributions."""
SECOND_LAW: Final = 1
"""The same of its equations."""
LAYING: Final = 2
"""The kernel that does what both do, and copies the entries of index rows that it needs one after the other."""
LAID: Final = 3
"""The kernel that does it with those copies."""
FIRST_WIDTH: Final = 4
"""The required distance from the index row of the first to that of the second."""
LAID_WIDTH: Final = 5
"""The number of copies for an object; each is two entries of its index rows."""
OTHERS: Final = 6
"""The place of the next of these; -1 if there is none."""

# The certificate of a condition --------------------------------------------------------------------------------------

# In `lists`: how many expressions it has, how many words come after them, then for each expression its code and three
# numbers, then the words: the number of a comparison's expression, or how the last two Booleans are joined.

AND: Final = -1
OR: Final = -2
WEAK: Final = 128
"""Added to the number of a comparison's expression if it holds at zero, too: `>=`, `<=`."""
EXPRESSION: Final = 4
"""The numbers of an expression: its code, its two operands, and the place of a number."""

CONSTANT: Final = 0
"""A number that does not change within a step; here and down to SHRUNK the last number is its place in `still`."""
STATE: Final = 1
"""A state: the entry of the index row with its object, and the offset from the first slot of that."""
TIME: Final = 2
ELAPSED: Final = 3
RAISED_BY: Final = 4
LOWERED_BY: Final = 5
TAKEN_FROM: Final = 6
SCALED_BY: Final = 7
SHRUNK_BY: Final = 8
TO_THE_POWER: Final = 9
SUM: Final = 10
DIFFERENCE: Final = 11
PRODUCT: Final = 12
NEGATIVE: Final = 13
INVERSE: Final = 14
ROOT: Final = 15
EXPONENTIAL: Final = 16
LOGARITHM: Final = 17
SINE: Final = 18
COSINE: Final = 19
ARCTANGENT: Final = 20
SIZE: Final = 21
LEAST_OF: Final = 22
GREATEST_OF: Final = 23
CHOICE_OF: Final = 24
"""The second expression where the first is positive, the third where it is negative."""
CHECKED: Final = 25
"""What a law computes, as read in the law; its number is the difference from what the law has set."""
WHOLE_BELOW: Final = 26
"""The greatest whole number that is not above the quotient of two expressions."""
WHOLE_NEAR: Final = 27
"""The whole number nearest to an expression, the even one of two."""

# The enclosure of an expression over a part of a step: MODEL numbers in `models` --------------------------------------

# First come the coefficients of the powers of s, which goes from -1 at the part's start to 1 at its end: up to 8.

BESIDE: Final = 9
"""How far the expression may be from that polynomial."""
NOISE: Final = 10
"""How far rounding may have taken what is computed of it from that."""
LEAST: Final = 11
MOST: Final = 12
"""The range in which it lies, but for rounding."""
SLOWEST: Final = 13
FASTEST: Final = 14
"""The range of its derivative by s."""
UNSURE: Final = 15
"""Whether it may have no value somewhere: a root of what is negative, a division by zero."""
FLAT: Final = 16
"""Whether it may bend, jump or stand still somewhere within the part: it may rest on a level, not only pass it."""
MODEL: Final = 17
EXPRESSIONS: Final = 96
"""The largest number of expressions of a condition that is enclosed."""
JOINTS: Final = 64
"""The largest number of comparisons of a condition that wait to be joined."""
ROUGH: Final = EXPRESSIONS * MODEL
"""The place of scratch room in `models`."""
SIGNS: Final = ROUGH + 6 * MODEL
"""The signs of comparisons that wait to be joined; after them where each crosses its level."""
CROSSING: Final = SIGNS + JOINTS
"""Where in the part, from -1 to 1, a condition that rises or falls changes."""
MODELS: Final = SIGNS + 2 * JOINTS

# The head of a tape --------------------------------------------------------------------------------------------------

FOLLOWING_TAPE: Final = 0
FILLED: Final = 1
"""How many rows it has."""
ROOM: Final = 2
"""How many it can have."""
BUFFER: Final = 3
"""The place in `constants` of its times, followed by its rows."""
WIDTH: Final = 4
"""The number of numbers in a row; after the head each is described by COLUMN items."""
SHOWN: Final = 5
"""How many flows are to be shown."""
SHOWN_AT: Final = 6
"""The place in `lists` of their numbers."""
WITH_LAWS: Final = 7
"""Whether laws are to be run for a row."""
STOPPED: Final = 8
"""Whether the next row cannot be sampled because Python would raise an error there."""
TAPE_HEAD: Final = 9

# A column of a tape: what it is, and where.

COLUMN: Final = 4
WHAT: Final = 0
SLOT, HELD, KERNEL = 0, 1, 2
"""The value of a slot; a number in `constants`; what a kernel returns."""
WHERE: Final = 1
"""The slot, the place of the number, the address of the kernel."""
ROW_OF: Final = 2
"""The place of the kernel's index row; NUMBERS_OF: of its closure numbers."""
NUMBERS_OF: Final = 3

# The head of what slides in a flow -----------------------------------------------------------------------------------

COUNT: Final = 0
"""Along how many surfaces."""
WIDTH_OF_PASS: Final = 1
"""How many numbers a pass gives: rates, computed values and sums."""
PASSES: Final = 2
"""The place in `constants` of those of each pass, the first with all modes below, then of the equations for weights."""
RUNS: Final = 3
"""The number of runs of computed values and sums; the runs follow the surfaces: (first, one beyond the last)."""
SLIDE_HEAD: Final = 4
SURFACE: Final = 0
"""Of each surface: the condition that is true above it ..."""
SHARE: Final = 1
"""... the slot for the weight of the field above ..."""
MODES: Final = 2
"""... how many numbers make up its mode ..."""
MODE_SLOTS: Final = 3
"""... the place in `lists` of their slots ..."""
MODE_VALUES: Final = 4
"""... the place in `constants` of their values below, then above, then outside of a pass."""
PER_SURFACE: Final = 5

# What a handler works on ---------------------------------------------------------------------------------------------

ROW: Final = 0
"""The place of its kernel's index row; NUMBERS: of its closure numbers."""
NUMBERS: Final = 1
NEEDS: Final = 2
"""What REACTS has to be at least."""
READS: Final = 3
"""The number of blocks of slots that it reads and that may move: their first slots follow the head."""
WRITES: Final = 4
"""The number of slots that it may write; after those, for each: the slot, the first of its block, and its kind."""
EFFECTS_HEAD: Final = 5
PER_WRITE: Final = 3
STANDS: Final = 0
"""It is a parameter."""
IS_SET: Final = 1
"""It is a computed value or a sum."""
MOVES: Final = 2
"""It is a state."""
MOST_WRITES: Final = 64
"""The largest number of slots that a native handler may write."""
ASKS: Final = 0
"""What its kernel returns where it has met what only Python can do: then it has changed nothing."""
DONE: Final = 1
"""What it returns otherwise."""

# What `march` returns ------------------------------------------------------------------------------------------------
# (codes are negative, because `go_on` may return the number of a condition instead)

REACHED: Final = -1
LOCATED: Final = -2
"""A state event was found inside a step; its flows have been touched."""
STEPPED: Final = -3
FAILED: Final = -4
STUCK: Final = -5
RAISED: Final = -6
UNSETTLED: Final = -7
"""A law or condition has raised an error before time advanced."""
CHOICE: Final = -8
"""A condition is due at the present instant."""
FOUND: Final = (LOCATED, CHOICE)
BROKEN: Final = -9
"""Flows are at a time at which an input is not smooth, and have been touched: Python finds their next limits."""
RECORDED: Final = -10
"""A tape is full."""
PAUSED: Final = -12
"""It has run for a while, and Python may want to stop it. Flows have advanced; nothing else has changed."""
CHATTERS: Final = -13
"""A comparison of a law has changed ever more often: Python checks whether time advances."""
UNPLANNED: Final = -11
"""Python has to find again which rates of the flow at the root depend on which of its states."""


class Coefficients(NamedTuple):
    """A method's tableau as numbers; weights are in units of the full step.

    sizes       see below
    nodes       times of the stages, of the end, and of the extra stages
    table       rows of weights, with a column for each stage, one for the rate at the end and one for each extra stage:
                first a row for the argument of each stage, then the result, the error estimate, theta, theta**2, ... of
                the interpolant, and the arguments of the extra stages. An implicit method has instead of the last
                rows for the residues of the transformed equations, for the mean rates from the transformed ones, and
                for the way back, with columns for the rates at the stages and the transformed means
    layers      of a two-step method: four tables, coefficients of 1, r, r**2 for a step r times as long as the one
                before, and the table without a past; else empty
    mixed       of a two-step method: the table for the present step, by which `table` is replaced; else empty
    bernstein   (points, points): from the coefficients of the powers of s on [-1, 1] to those of Bernstein
    blocks      of an implicit method of s stages, (s, s): the blocks of its inverse matrix; else empty
    kernels     in native code the addresses of the functions that a method has of its own
    """

    sizes: IntNumbers
    nodes: Numbers
    table: Numbers
    layers: Numbers
    mixed: Numbers
    bernstein: Numbers
    blocks: Numbers
    kernels: IntNumbers


STAGES: Final = 0
ERROR_STAGE: Final = 1
SCALE_STAGE: Final = 2
DEGREE: Final = 3
ERROR_ORDER: Final = 4
END_FIRST: Final = 5
"""Whether the error estimate needs the rate at the end, so that the end is evaluated before the step is accepted."""
EXTRA: Final = 6
"""How many stages are evaluated for the interpolant alone, when it is first used."""
FIRST_STAGE: Final = 7
"""The first stage that is evaluated: 1, or 2 if stage 1 is the rate at the start of the step before."""
WITH_PAST: Final = 8
"""How many stages a step with a past has; STAGES for all but Adams' method, which starts by one more."""
DIVISOR: Final = 9
"""The layers are divided by 1 + DIVISOR * r."""
TABLE_ROWS: Final = 10
IMPLICIT: Final = 11
"""How many stages are found by iteration; 0 of an explicit method. Their rows K+1 ... hold mean rates up to them."""
REALS: Final = 12
"""How many real eigenvalues its matrix has, equal ones counted apart."""
PAIRS: Final = 13
"""How many complex pairs."""
FACTORS: Final = 14
"""How many real matrices are factorized: one for equal eigenvalues."""
ESTIMATED: Final = 15
"""Whether an implicit method has an error estimate."""
SAMPLED: Final = 16
"""The node at which the rates are compared with the interpolant's where laws may jump unlocated; 0 for none."""
METHOD_SIZES: Final = 17
ITERATED: Final = 3
"""The number of additional rows for each stage in the table of an implicit method: see `Coefficients`."""
MOST_IMPLICIT: Final = 5
"""The largest number of iterated stages: rows for mean rates, rates and transformed ones, and two more."""
RESULT: Final = 0
"""Row of the result's weights, after those of the stages."""
ESTIMATE: Final = 1
DENSE: Final = 2
