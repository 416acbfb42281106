"""Native code: the stepper, translated from its own source, and what makes, keeps and loads machine code.

The source of the stepper is written in a small part of Python: numbers, the records of `records.py`, `if`, `while`,
`for` over a range, and calls of one another. May import: engine, statistics, declare, errors. Start reading at
`engine.py`, then `statements.py` and `expressions.py`.
"""
