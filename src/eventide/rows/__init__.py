"""Native processes: tables of activities, their event list, stations and statistics, and the loop that runs them.

In: kernels, one for each generator function, each a state machine over a row. Out: events in the order of
`discrete/calendar.py`, by the same keys, with the same statistics to the bit. Everything is a number in the records of
`records.py`, and all functions are written in the stepper's language: they run as Python, or are translated by
`native/`. A generator costs Python some 300 ns at each event; a row costs 30.

May import engine alone, for its records. Start reading at `records.py`, then `loop.py` and `event_list.py`.
"""
