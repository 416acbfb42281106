"""The names of rows, columns and codes of the arrays that the stepper works on, and the arrays of one simulation.

Everything that moves between two events is a number in one of these arrays, so that the functions of `stepper.py` and
`march.py` run over them as they are or compiled.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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
"""What rounding took from Y2."""
ABS: Final = 7
"""Absolute tolerances."""
REL: Final = 8
"""Relative tolerances."""
LOWEST: Final = 9
"""What a state is above in the whole of the step, where conditions may doze for it."""
HIGHEST: Final = 10
"""What it is below."""
P: Final = 11
"""First of the rows that hold the interpolant's coefficients of theta, theta**2, ..."""
K: Final = 19
"""First of the rows that hold the rates of the stages; the one after the last stage: the rate at the end."""
KEPT: Final = 36
"""States as they were before an evaluation of laws that assign some, and may have to be executed again by Python."""
ROWS: Final = 37

# Columns of a flow: floats -------------------------------------------------------------------------------------------

START: Final = 0
"""When the present step began."""
REST: Final = 1
"""What rounding took from START."""
STEP: Final = 2
"""The length of the present step; 0 before it is made."""
NEXT: Final = 3
"""The length to be tried next; 0: to be estimated."""
END: Final = 4
"""When the present step ends."""
END_REST: Final = 5
"""What rounding took from END."""
EVENT: Final = 6
"""How much of the step passes until a condition is true; -1 if none is."""
KEY: Final = 7
"""How far the flow has been brought: the time of its event, else END."""
AT: Final = 8
"""The time to which rows Y and R belong; NaN if to none that matters."""
PAST: Final = 9
"""The length of the step before, if its rate at the start is of use to a two-step method; else 0."""
LIMIT: Final = 10
"""The next instant at which an input that its laws call is not smooth: a step ends there; infinity if there is none."""
BEFORE: Final = 11
"""The last float before it: the latest time that laws are given until the flow has been settled there."""
SPAN: Final = 12
"""The longest step to be tried, as proofs could not be brought to an end over longer ones; infinity as a rule."""
ASKED: Final = 13
"""How long a step might be but for that."""
TRIED: Final = 14
"""The time of the last event before which it was found out what has been false in its step so far."""
SWITCHES: Final = 15
"""How many comparisons of its laws are located."""
TURNS: Final = 16
"""Whether EVENT is no event: comparisons of its laws change there, and nothing else."""
UNSEEN: Final = 17
"""How many of its members have laws in which something branches, bends or jumps that is not located."""
FLOW_FLOATS: Final = 24

# Columns of a flow: integers -----------------------------------------------------------------------------------------

# Those that no event reads stand last.
SEGMENTS_LO: Final = 0
SEGMENTS_HI: Final = 1
EMPTY: Final = 2
"""Whether the flow has neither states nor laws: only conditions on time."""
OPEN: Final = 3
"""Whether an event has touched it and it has not been settled since: it is among the touched then."""
FITTED: Final = 4
"""Whether the interpolant's coefficients have been computed."""
WATCHED: Final = 5
"""The place in `constants` of its entries, one for each condition, and of its waking ones; see `watching.py`."""
ENTRIES: Final = 6
"""How many entries there are, those that were left included."""
ROOM_FOR: Final = 7
"""How many there can be."""
LEFT: Final = 8
"""How many belong to no condition any more."""
AWAKE: Final = 9
"""How many conditions are awake."""
MOMENT: Final = 10
"""The number of the present step's start; that of its end is the next."""
DOZING: Final = 11
"""Whether some condition has a floor and a ceiling."""
STALE: Final = 12
"""Whether a number that stands still has been written, so that floors and ceilings are void."""
TENDED: Final = 13
"""Whether Python looks after it at each event that touches it: it has inputs, or something slides."""
CHAIN_LO: Final = 14
CHAIN_HI: Final = 15
SUMS_LO: Final = 16
SUMS_HI: Final = 17
COUNTED: Final = 18
"""Whether RUN of its laws is right: not after one has come or gone."""
DIRECT: Final = 19
"""Whether the laws look at no rate, so that compiled ones may write theirs to the row of a stage at once."""
SLIDES: Final = 20
"""The place in `lists` of what slides along a surface; -1 if nothing does."""
ATTEMPT: Final = 21
"""In native code the address of a function that stands for `attempt` in a small flow; 0 if there is none."""
COMPLETE_STEP: Final = 22
"""The same for `complete`."""
STEPS: Final = 23
EVALUATIONS: Final = 24
WORST: Final = 25
"""The slot whose error was worst in the last attempt; -1 if none."""
ANNOUNCED: Final = 26
"""Whether the end of the present step has been told to those who look at steps."""
ASSIGNS: Final = 27
"""Whether its laws may assign states, so that these are not what the interpolant says."""
DOUBTED: Final = 28
"""Whether the last step was accepted although it was in doubt what a condition was in it."""
REFUSED: Final = 29
SYSTEM: Final = 30
"""The place in `lists` of what an implicit method keeps for the flow, see `linear.py`; -1 without."""
JACOBIANS: Final = 31
"""How often derivatives of its laws have been evaluated."""
FACTORIZATIONS: Final = 32
"""How often they have been factorized for a step."""
SEGMENTS_ROOM: Final = 33
"""For how many runs of its slots there is room, ..."""
CHAIN_ROOM: Final = 34
"""... for how many laws, ..."""
SUMS_ROOM: Final = 35
"""... and for how many runs of its sums."""
MEMBERS: Final = 36
"""How many components and loose variables belong to it."""
CONTRIBUTORS: Final = 37
"""How many of its laws are contributions, which come first."""
INDIRECT: Final = 38
"""How many of its members have laws that are not DIRECT."""
LAID_FROM: Final = 39
"""The place in `lists` where there is room to lay index rows of laws that are joined: how much, then the rows; or 0."""
FLOW_INTS: Final = 40
"""As all tables of which an event reads a row, it is a whole number of cache lines wide."""

# Columns of a slot ---------------------------------------------------------------------------------------------------

HOME: Final = 0
"""Of the first slot of an object's block: the flow in which the object moves; -1 if it stands still."""
READER: Final = 1
"""The flow that depends on what stands here; -1 if there is none."""
SEVERAL: Final = -2
"""More than one flow does: Python knows which."""
READINGS: Final = 2
"""How many laws and conditions of that one flow do."""
TOUCHER: Final = 3
"""Of the first slot of an object's block: the flow whose other laws and conditions touch the object; or as above."""
TOUCHINGS: Final = 4
"""How many of that one flow do."""
WRITER: Final = 5
"""Twice the seat of whose laws write the rate here, and 1 more if they set it without having read it; -1 if none do,
SEVERAL if those of more than one object do."""
SEAT: Final = 6
"""The seat of which the slot is."""
SLOT_COLUMNS: Final = 8

# Columns of a seat: the slots of an object, and what its laws are ----------------------------------------------------

BASE: Final = 0
"""The first slot of what is integrated; -1 if there is none. SIDE: of what is not."""
SIDE: Final = 1
RECORD: Final = 2
"""The place in `lists` of the record of its laws."""
ROW_OF_LAWS: Final = 3
"""The place in `index` of the rows of its laws, which stand side by side."""
PRIOR: Final = 4
"""Its priority, as a whole number that is the smaller the earlier it comes."""
STARTED: Final = 5
"""Its number among all that have been started."""
LATER_CONTRIBUTION: Final = 6
"""Of contributions that wait for what others compute: how far behind the last of these; 0 of all others. The next two
columns tell the priority and the number of that last one, in whose place they stand then."""
LATER_EQUATION: Final = 9
"""The same of equations."""
GIVEN: Final = 12
"""How many other objects have laws that set what it computes, its sums or its states."""
SEAT_COLUMNS: Final = 13

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
"""Whether something branches, bends or jumps in them that is not located."""
READ_COUNT: Final = 10
"""How many slots they depend on, how many blocks they touch, how many rates they write."""
TOUCH_COUNT: Final = 11
WRITE_COUNT: Final = 12
SET_COUNT: Final = 13
"""How many of these rates, the first of them, are set without having been read."""
GIVE_COUNT: Final = 14
"""To how many blocks laws give: they set what is computed there, sums or states."""
RECORD_HEAD: Final = 15
"""Behind the head: of each slot the entry of the index row with the first of its block, and its place behind that; or
-1, and the slot."""
USE: Final = 2
NO_ROOM: Final = -1
"""Nothing has been done: a table has to be made longer."""
MAYBE: Final = 2
"""That is not known here: Python knows."""

# An entry for a condition, in `constants` -----------------------------------------------------------------------------

WHO: Final = 0
"""The condition; -1 if it has left."""
SLOT_OF: Final = 1
"""The one state that it depends on."""
FLOOR: Final = 2
"""It is false as long as the state is between FLOOR and CEILING; NaN where nothing of the kind is known."""
CEILING: Final = 3
ENTRY: Final = 4

# Columns of a law in the chain ---------------------------------------------------------------------------------------

LAW: Final = 0
"""The address of its kernel."""
OPERANDS: Final = 1
"""The place in `index` of the row that says which objects are meant."""
RUN: Final = 2
"""Of the first of some laws of one kernel that stand one behind the other, how many they are: they are one call."""
LAW_OF: Final = 3
"""The seat of whose law it is."""
JOINT: Final = 4
"""The place in `lists` of what is told of them if they are called together with others; else ALONE, or BY_OTHERS if it
is there that they are called."""
ALONE: Final = -1
BY_OTHERS: Final = -2
CHAIN_COLUMNS: Final = 5

# Two laws of a class as one: in `lists` ------------------------------------------------------------------------------

FIRST_LAW: Final = 0
"""The address of the kernel of its contributions."""
SECOND_LAW: Final = 1
"""The same of its equations."""
LAYING: Final = 2
"""The kernel that does what both do, and lays what it needs of index rows one behind the other."""
LAID: Final = 3
"""The kernel that does it with what has been laid."""
FIRST_WIDTH: Final = 4
"""How far behind the index row of the first that of the second has to be."""
LAID_WIDTH: Final = 5
"""How many numbers are laid for an object; each is two entries of its index rows."""
OTHERS: Final = 6
"""The place of the next of these; -1 if there is none."""

# Columns of a condition ----------------------------------------------------------------------------------------------

ADDRESS: Final = 0
INDEX: Final = 1
CONSTANTS: Final = 2
TRIGGER: Final = 3
"""Whether it fires when it becomes true (`when`) or whenever it is true (`until`)."""
ARMED: Final = 4
"""0, 1, or AT_END: found false within the present step, which may be cut before."""
FLOW: Final = 5
PLACE_OF: Final = 6
"""The number of its entry among those of the flow."""
SEEN: Final = 7
"""The moment of its last test at an end of a step."""
NEEDS_LAWS: Final = 8
"""Whether it reads rates, computed values or sums."""
DUE: Final = 9
"""Whether it was found true, and may fire, at the flow's event or at the present instant."""
READY: Final = 10
"""Whether it has been found false, in this step or before, so that it fires when it becomes true."""
TRUE_AT_END: Final = 11
"""Whether it was true at the end of the step."""
CERTIFICATE: Final = 12
"""The place in `lists` of what lets the stepper prove that it stays false within a step; -1 without."""
SAMPLED: Final = 13
"""Whether it is looked after by samples in this step: it has no certificate, or the proof has been given up; or by as
many points as its event function needs: AS_NEEDED."""
AS_NEEDED: Final = 2
TRAIL: Final = 14
"""Its row among the trails."""
TIMED: Final = 16
"""Whether it reads nothing that moves but the time, so that no error of a state ends its steps."""
RECOURSE: Final = 15
"""The address of who asks Python where its kernel answers RAISES; 0 where it never does."""
DOZES: Final = 17
"""Whether it may have a floor and a ceiling: it depends on nothing but states, and numbers that stand still."""
HANDLER: Final = 18
"""The address of the handler that it releases, where that is native code; else 0."""
EFFECTS: Final = 19
"""The place in `lists` of what that handler works on."""
SWITCH: Final = 20
"""Of a comparison in a law: 1 more than the slot of its outcome, which the law goes by; else 0. See `switching.py`."""
EXACT: Final = 21
"""Whether it is found to the last float in spite of `dt_min`, as it reads nothing but the time."""
WHOLE: Final = 22
"""Of what jumps between whole numbers in a law: 1 more than the slot of the present one; else 0."""
CONDITION_INTS: Final = 24
RAISES: Final = 2
"""What a kernel answers where Python would raise, besides 0 and 1."""
AT_END: Final = 2

GUARD: Final = 0
"""The event function at the last test, positive where the condition is true; NaN if it has none."""
SLOPE: Final = 1
"""The event function's derivative by time, after it; NaN if it is not to be had."""
GUARD_AT_END: Final = 2
SLOPE_AT_END: Final = 3
LOW: Final = 4
"""How much of the step has passed at a point where the condition was false; event function and slope there."""
GUARD_LOW: Final = 5
SLOPE_LOW: Final = 6
HIGH: Final = 7
"""How much of it has passed at a later one where it was true; -1 if there is none."""
GUARD_HIGH: Final = 8
SLOPE_HIGH: Final = 9
GUARD_AT_START: Final = 10
"""Event function and slope at the start of the step."""
SLOPE_AT_START: Final = 11
GUARD_BEFORE: Final = 12
"""Event function and slope at the end of the part that was looked at last."""
SLOPE_BEFORE: Final = 13
GUESS: Final = 14
"""How much of the step will have passed where it becomes true between LOW and HIGH, about; -1 if that is not known."""
STILL: Final = 15
"""First of the columns for numbers that do not move within a step, which are kept for proofs as the last test found
them."""
STILLS: Final = 32
"""So many there may be."""
PRIORITY: Final = STILL + STILLS
RANK: Final = STILL + STILLS + 1
CONDITION_FLOATS: Final = 56

# The certificate of a condition --------------------------------------------------------------------------------------

# In `lists`: how many expressions it has, how many words come after them, then for each expression its code and three
# numbers, then the words: the number of a comparison's expression, or how the two last truths are joined.

AND: Final = -1
OR: Final = -2
EXPRESSION: Final = 4
"""So many numbers tell an expression: its code, the expressions it is made of, and where a number stands."""

CONSTANT: Final = 0
"""What stands still; for this and those down to SHRUNK the last number tells where in the columns from STILL on."""
STATE: Final = 1
"""A state: which entry of the index row is its object, and how far behind that one's first slot it stands."""
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
"""The second expression where the first is above zero, the third where it is below."""
CHECKED: Final = 25
"""What a law computes, as read in the law; what stands still is by how much that differs from what it has set."""

# The enclosure of an expression over a part of a step: so many numbers in `models` ------------------------------------

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
"""The range in which its derivative by s lies."""
UNSURE: Final = 15
"""Whether it may have no value somewhere: a root of what is negative, a division by zero."""
MODEL: Final = 16
EXPRESSIONS: Final = 96
"""So many expressions a condition has at most, to be enclosed."""
JOINTS: Final = 40
"""So many comparisons of a condition may wait to be joined."""
ROUGH: Final = EXPRESSIONS * MODEL
"""Where in `models` there is room to reckon in."""
SIGNS: Final = ROUGH + 6 * MODEL
"""What is known of comparisons that wait to be joined; behind them where each crosses its level."""
CROSSING: Final = SIGNS + JOINTS
"""Where in the part, from -1 to 1, a condition that rises or falls changes."""
MODELS: Final = SIGNS + 2 * JOINTS

# Settings and flags --------------------------------------------------------------------------------------------------

DT_MIN: Final = 0
DT_MAX: Final = 1
LAND: Final = 2
"""Where steps must end: the next time event or the end of the run; infinity if they need not."""
NEXT_EVENT: Final = 3
ABORTED: Final = 4
"""Set when Python code called from a step has raised what must go up; VALUELESS: unless a shorter step helps."""
VALUELESS: Final = 2.0
"""A condition has raised an error inside a step: it has no value there, and its event may come before."""
TROUBLED: Final = 5
"""Set when a law executed in Python has raised an error of the user's."""
STEPWISE: Final = 6
"""Whether somebody looks at every step: 1 at its end, 2 also before an event cuts it."""
FLOWS: Final = 7
"""How many flows stand in the heap."""
PENDING: Final = 8
"""How many flows have an event at the time of the last one found."""
ARMS: Final = 9
"""Whether conditions that are found false are armed; not during a pause."""
TOUCHED: Final = 10
"""How many flows an event has touched."""
CHOSEN: Final = 11
"""The condition whose event is next."""
EVENT_TIME: Final = 12
"""When that event is."""
EVENT_START: Final = 13
"""When the step began in which it was found."""
EVENT_DT: Final = 14
"""How much of that step passes before it."""
BUDGET: Final = 15
"""How many parts of a step may still be looked at to prove that a condition stays false there."""
UNPROVED: Final = 16
"""In how many steps a condition could not be proved to stay false although it has a certificate."""
COMPLETE: Final = 17
"""Whether the step under way has all its samples."""
TAPE: Final = 18
"""The place in `lists` of the first tape; -1 if there is none."""
UPCOMING: Final = 19
"""The next instant of a tape; infinity if there is none."""
ALERT: Final = 20
"""Set when a condition fires ever more often while time hardly goes on."""
FIRINGS: Final = 21
"""How many trails have begun."""
FALSE_TO: Final = 22
"""The fraction of the step up to which a condition has been proved to stay false once it is."""
SOUGHT: Final = 23
"""The fraction of the step up to which it is known what a condition is."""
CLEAR: Final = 24
"""The least of these fractions over the flow's conditions; 1 if nothing is left in doubt."""
USED: Final = 25
"""How many parts were looked at for the condition that took most of them."""
WORK: Final = 26
"""How much has been done since the march came back to Python, in states times steps."""
PATIENCE: Final = 27
"""How much of it is done before the march comes back for others to be heard; less than 0: it is to come now."""
REACTS: Final = 28
"""Which handlers may run as native code: none (0), those that put nothing into lists (1), all (2)."""
HANDLED: Final = 29
"""How many have since Python was asked last."""
LISTED: Final = 30
"""How many conditions are watched."""
LOOKED_AT: Final = 31
"""Whether somebody looks at state events, before what they touch is open."""
JOINED: Final = 32
"""The place in `lists` of the first two laws that may be one; -1 without."""
ARRIVALS: Final = 33
"""How many waits have begun so far: the rank of the last."""
MOVED: Final = 34
"""The place in `lists` of the first process that has gone on since Python was asked last; -1 if there is none."""
HANDLED_AT: Final = 35
"""When the last of the handlers and processes has run."""
LAWS_IN_PYTHON: Final = 36
"""The address of who executes a flow's laws in Python, where a kernel answers RAISES."""
SWITCHED: Final = 37
"""How often comparisons of laws have changed inside of steps."""
UNSURE_FROM: Final = 38
"""The fraction of the step from which on a condition stays unsure, however short the part, ..."""
UNSURE_TO: Final = 39
"""... and up to which it does so without a break; 0 if there is no such part."""
SURE_TO: Final = 40
"""Where the first such stretch begins that is more than a spot; 1 if there is none."""
SETTINGS: Final = 41

# Columns of a trail ---------------------------------------------------------------------------------------------------

SERIAL: Final = 0
"""The number of its first firing among those of all trails; 0 if there was none yet."""
FIRED: Final = 1
"""When it fired last."""
SINCE: Final = 2
"""Since when time has hardly gone on."""
CROWD: Final = 3
"""How often in a row it has fired since."""
INTERVAL: Final = 4
"""How long after the time before it fired last."""
RATIO: Final = 5
"""What share of the interval before that was."""
STEADY: Final = 6
"""How often in a row intervals have shrunk by about this share."""
PASSED: Final = 7
"""How often in a row it fired while time went on, since it was looked at last."""
TOLD: Final = 8
"""Whether a warning has been given of it."""
TRAIL_FLOATS: Final = 16

# The head of a tape --------------------------------------------------------------------------------------------------

FOLLOWING_TAPE: Final = 0
FILLED: Final = 1
"""How many rows it has."""
ROOM: Final = 2
"""How many it can have."""
BUFFER: Final = 3
"""The place in `constants` of its instants; its rows stand after them."""
WIDTH: Final = 4
"""How many numbers a row has; after the head COLUMN items tell of each what it is."""
SHOWN: Final = 5
"""How many flows are to be shown."""
SHOWN_AT: Final = 6
"""The place in `lists` of their numbers."""
WITH_LAWS: Final = 7
"""Whether laws are to be run for a row."""
STOPPED: Final = 8
"""Whether the next row cannot be taken down, as Python would raise an error there."""
TAPE_HEAD: Final = 9

# A column of a tape: what it is, and where.

COLUMN: Final = 4
WHAT: Final = 0
SLOT, HELD, KERNEL = 0, 1, 2
"""The value of a slot; a number in `constants`; what a kernel answers."""
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
"""The place in `constants` of those of each pass, the first with all modes below; then the equations for the shares."""
RUNS: Final = 3
"""How many runs of computed values and sums there are; they stand after the surfaces: (first, one beyond the last)."""
SLIDE_HEAD: Final = 4
SURFACE: Final = 0
"""Of each surface: the condition that is true above it ..."""
SHARE: Final = 1
"""... the slot for the share of the field above in the motion ..."""
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
"""How many blocks of slots it reads that may move: the first slot of each stands behind the head."""
WRITES: Final = 4
"""How many slots it may write; behind those: of each the slot, the first of its block, and what kind it is."""
WHOSE: Final = 5
"""The place in `lists` of the process that it leads from wait to wait; -1 of a handler."""
EFFECTS_HEAD: Final = 6
PER_WRITE: Final = 3
STANDS: Final = 0
"""It is a parameter."""
IS_SET: Final = 1
"""It is a computed value or a sum."""
MOVES: Final = 2
"""It is a state."""
MOST_WRITES: Final = 64
"""So many slots a handler may write as native code."""
ASKS: Final = 0
"""What its kernel answers where it has met what only Python does: then it has changed nothing."""
DONE: Final = 1
"""What it answers else; of a process by so much more as is the number of the stop at which it waits now."""

# A process that goes on as native code -------------------------------------------------------------------------------
STANDS_AT: Final = 0
"""The number of the stop at which it waits, if it has moved."""
FOLLOWER: Final = 1
"""The place of the next that has moved; -1 of the last, UNMOVED of who has not."""
UNMOVED: Final = -2
STOPS: Final = 2
"""How many stops it has; behind those the row of the wait at each, -1 where it does not wait as native code."""
JOURNEY_HEAD: Final = 3

# What a march answers ------------------------------------------------------------------------------------------------
# (codes are below zero, as who goes on from an event may answer the number of a condition instead)

REACHED: Final = -1
LOCATED: Final = -2
"""A state event was found inside a step; its flows have been touched."""
STEPPED: Final = -3
FAILED: Final = -4
STUCK: Final = -5
RAISED: Final = -6
UNSETTLED: Final = -7
"""A law or condition has raised something before time went on."""
CHOICE: Final = -8
"""A condition is due at the present instant."""
FOUND: Final = (LOCATED, CHOICE)
BROKEN: Final = -9
"""A flow stands where an input is not smooth, and has been touched: its next limit is to be found."""
RECORDED: Final = -10
"""A tape is full."""
PAUSED: Final = -12
"""It has gone on for a while: Python may want to stop it. Nothing has changed but how far flows have been brought."""
CHATTERS: Final = -13
"""A comparison of a law has changed ever more often: Python is to see whether time goes on."""
UNPLANNED: Final = -11
"""For the flow at the root it is to be found out anew which of its rates depend on which of its states."""


class Coefficients(NamedTuple):
    """A method's tableau as numbers; weights are in units of the full step.

    sizes       see below
    nodes       times of the stages, of the end, and of the extra stages
    table       rows of weights, one column for each stage, one for the rate at the end and one for each extra stage:
                first a row for the argument of each stage, then the result, the error estimate, theta, theta**2, ... of
                the interpolant, and the arguments of the extra stages; of an implicit method instead of those the
                rows for the residues of the transformed equations, the mean rates from the transformed ones, and back,
                with columns for the rates at the stages and the transformed means
    layers      of a two-step method: four tables, coefficients of 1, r, r**2 for a step r times as long as the one
                before, and the table without a past; else empty
    mixed       of a two-step method: the table for the present step, by which `table` is replaced; else empty
    bernstein   (points, points): from the coefficients of the powers of s on [-1, 1] to those of Bernstein
    blocks      of an implicit method of s stages, (s, s): the blocks of its inverse matrix; else empty
    kernels     in native code the addresses of the functions that a method has of its own
    """

    sizes: Any
    nodes: Any
    table: Any
    layers: Any
    mixed: Any
    bernstein: Any
    blocks: Any
    kernels: Any


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
BLIND: Final = 16
"""A stage without a weight in result and estimate, which may see a jump alone; 0 without. The next is at its time."""
TWIN: Final = 17
"""The stage that is the same in the first half of the step."""
METHOD_SIZES: Final = 18
ITERATED: Final = 3
"""So many more rows the table of an implicit method has for each stage: see `Coefficients`."""
MOST_IMPLICIT: Final = 5
"""So many stages can be found by iteration: rows for mean rates, rates and transformed ones, and two besides."""
RESULT: Final = 0
"""Row of the result's weights, after those of the stages."""
ESTIMATE: Final = 1
DENSE: Final = 2


class Arrays(NamedTuple):
    """All that moves, as the functions of the stepper see it.

    rows            (ROWS, slots) what is known of each slot
    slots           one row for each slot: who is concerned when it is read or written
    flow_floats, flow_ints   one row for each flow
    seats           one row for each object that has slots, or had
    segments        (n, 2) runs of slots that are integrated, and runs of sums to be zeroed, grouped by flow
    chain           (n, CHAIN_COLUMNS) the laws in the order of a pass, grouped by flow
    index           base slots of the objects that kernels refer to
    lists           counts and base slots of lists of objects
    conditions, condition_floats   one row for each condition
    trails          one row for each condition, or more that are one to whoever follows how often they fire
    constants       closure numbers of conditions
    heap            flows as a heap by KEY: the first comes first, and behind place p stand 4p + 1 ... 4p + 4
    keys            KEY of each of them, as it was when the flow was put there
    places          where each flow stands in the heap; -1 if it is not in it
    pending         flows that have an event at the time of the last one found
    touched         flows that an event has touched, in order
    settings        limits and flags
    models          (MODELS,) the enclosures of one condition's expressions, and room to reckon in
    method          the tableau
    host            whoever evaluates laws and conditions in Python; an empty tuple in compiled code
    """

    rows: Any
    slots: Any
    flow_floats: Any
    flow_ints: Any
    seats: Any
    segments: Any
    chain: Any
    index: Any
    lists: Any
    conditions: Any
    condition_floats: Any
    trails: Any
    constants: Any
    heap: Any
    keys: Any
    places: Any
    pending: Any
    touched: Any
    settings: Any
    models: Any
    method: Coefficients
    host: Any
