"""The stepper: functions over the records of `records.py`, which run as Python or are translated to native code.

Everything that moves is kept in a few arrays, and one source advances all flows over them. A stepper object for each
flow in Python took about 10 us a step. May import nothing of eventide but itself. Start reading at `records.py`, then
`scheduler.py`, `step_control.py`, `stepper.py` and `event_location.py`; `memory/` is Python alone.
"""
