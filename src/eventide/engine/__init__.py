"""The stepper: functions over the records of `records.py`, which run as Python or are translated to native code.

May import nothing of eventide but itself. Start reading at `records.py`, then `stepper.py` and `scheduler.py`.
"""
