"""The migration of processes: which continue as rows of native code, and how they return to Python.

In: the processes of a world, and the bodies of their functions, which are read once for all simulations
(`bodies.py`, `learned.py`). Out: rows in the memory of the engine, and events in one order with those of Python. What
a generator gives to its row, and a generator that stands where a row does, is made in `crossing/`.
"""
