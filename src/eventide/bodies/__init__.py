"""Bodies: generator functions as state machines over rows, which `native/` translates and `rows/` drives.

In: the text of a generator function, and the values that the variables of a suspended generator have. Out: a kernel in
the language of the stepper, and what is known at each of its points. What native code does not know is left to Python
statement by statement: the kernel stops before it, and nothing is undone.
A call is made while the process stays in its row (`migration/python_calls.py`); for another statement it returns.
A row waits for a state by a guard that the stepper has kept (`waits/states.py`).

Start reading at `reader.py`, then `expressions.py`.
"""
