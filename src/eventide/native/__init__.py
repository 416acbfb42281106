"""Native code: translates the stepper from its own source, and makes, stores and loads machine code.

In: functions of `engine/`, written in a small part of Python: numbers, the records of `records.py`, `if`, `while`,
`for` over a range, and calls of one another. Out: the same functions as builtin functions of Python, compiled once for
an installation. Plain and native code give the same bits, because both do the same operations in the same order. Two
exceptions: small powers are products, and `hypot` is the library's, so that their last bit may differ.

One source instead of two, some seconds to compile, and methods as code that contains their weights. Rejected: numba
(array arguments are twenty structs copied at each call, it compiles for long, and it decides which Python versions are
supported); C (a compiler at the user's).

What has no translation is an error that names it. May import: engine, statistics, declare, errors. Start reading at
`engine.py`, then `statements.py` and `expressions.py`.
"""
