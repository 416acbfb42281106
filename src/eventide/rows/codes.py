"""Names of codes in the records of native processes, and of what their kernels and their loop return."""

from __future__ import annotations

from typing import Final

# What a kernel returns ------------------------------------------------------------------------------------------------

WAITS: Final = 0
"""The event is over: the activity was placed in the event list, or waits."""
ENDS: Final = 1
"""The process has ended."""
EXIT: Final = 2
"""Python continues at the statement `at`, of which nothing has been done, within this event."""
ROOM: Final = 3
"""The same, but the kernel itself continues there once a table has grown."""
FAILED: Final = 4
"""A call of Python has raised an error."""

# What the loop returns besides these ----------------------------------------------------------------------------------

DONE: Final = 0
"""No event of a row is due before the limit."""
SPENT: Final = 1
"""As many events have taken place as were allowed."""
ENDED: Final = 5
"""A process has ended whose end concerns Python."""

# Places ---------------------------------------------------------------------------------------------------------------

NONE: Final = -1
SHARED: Final = -2
"""Less the row of a list: a process may take a guard of those that are shared there (`rows/watches.py`)."""
"""No row, no place."""
IN_HEAP: Final = -2
"""In `activity.last`: its notice is in the heap, or it has none."""
FREE: Final = -1
"""In `activity.at`: the row is free."""
OVER: Final = -2
"""The same: its process has ended, and somebody may ask yet what it has returned."""
GONE: Final = -3
"""The same: its process is in Python, and somebody may wait for it yet."""
ROWS: Final = 2**32
"""A reference to a process is `generation * ROWS + row`."""

# What an activity waits for (`activity.wait`) -------------------------------------------------------------------------

NOTHING: Final = 0
REQUESTED: Final = 1
"""For the request in `subject`; until it continues, also when the request has been granted."""
JOINED: Final = 2
"""For the end of the process in `subject`."""
COMPOSED: Final = 3
"""For the first of its branches."""
WATCHING: Final = 4
"""For the condition of the stepper in `subject`."""
GATHERED: Final = 5
"""For all of its branches."""
TRANSFERRING: Final = 6
"""For the transfer in `subject`, which is carried out in the event in which it continues."""
ANSWERED: Final = 7
"""For its turn: the process in `subject`, whose row it holds, has ended and returned something."""
INTERRUPTED: Final = -1
"""Not waiting: an interrupt is to be raised at its `yield`."""
PREEMPTED_NOW: Final = -2
"""The same, as the units of the request in `cause` were taken away."""

# What a process has returned (`process.answered`); NOTHING is None ----------------------------------------------------

WHOLE: Final = 1
"""A whole number."""
REAL: Final = 2
"""A float."""
TRUTH: Final = 3
"""A Boolean."""
OTHER: Final = 4
"""Something else, for which nobody asks."""

# Causes of interrupts -------------------------------------------------------------------------------------------------

OBJECTS: Final = 2**62 + 1
"""A cause that is an object of Python is its number in a list, and this more; others are whole numbers up to it."""
LOST: Final = -OBJECTS
"""What a handler knows as the cause where units of a request were taken away is this less the row of the request."""

# Kinds ----------------------------------------------------------------------------------------------------------------

INTERRUPTION: Final = 0
"""The kind of the activities that interrupt a process."""
BRANCH: Final = 1
"""The kind of those that wait for one of several things in place of a process; all other kinds have a kernel."""

# States of a request --------------------------------------------------------------------------------------------------

NEW: Final = 0
WAITING: Final = 1
GRANTED: Final = 2
RELEASED: Final = 3
PREEMPTED: Final = 4
WITHDRAWN: Final = 5

UNMADE: Final = -(2**62)
"""From here on downwards numbers stand for plain objects that are made when Python needs them."""
UNSEEN: Final = -1.0
"""In place of the duration of a value that a level has not left yet."""

# What recordings read at events (`looks.py`) --------------------------------------------------------------------------

CONSTANT: Final = 0
"""What a column reads: a number that no row changes."""
SLOT: Final = 1
"""The value of a slot of what moves."""
RATE: Final = 2
"""The rate of one."""
LEVEL: Final = 3
"""The value of a level."""
AMOUNT: Final = 4
"""The amount in an inventory."""
FUNCTION: Final = 5
"""What a kernel computes."""
LOOK_HEAD: Final = 3
"""The numbers of a look before those of its columns."""
BEFORE: Final = -1
"""The side of a look just before an event."""
AFTER: Final = 1
"""That of one just after it."""
REGULAR: Final = 0
"""That of one at a regular time."""
MOVES_ON: Final = 1
"""In `run.looked`: what the last event has left was looked at, and time goes on."""
HAS_ARRIVED: Final = 2
"""The same, and all has come to the next event, and was looked at there."""
HAS_STOPPED: Final = 3
"""The same, but Python is to look there."""

UNCHOSEN: Final = -2
"""In `request.chosen`: a user that is not to lose its units."""
