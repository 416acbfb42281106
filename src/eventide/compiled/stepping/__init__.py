"""The stepper as native code: the functions of the continuous room's stepper, translated from their own source.

That source is written in a small part of Python: numbers, the arrays of `tables.py`, `if`, `while`, `for` over a range,
and calls of one another. Start reading at `engine.py`, then `statements.py` and `expressions.py`.
"""
