"""The example of a data dump, and the same sorted.

Source: Pannek, Simulation of mechatronic systems, tables 4.2 and 4.3.
"""

import pandas as pd

ROWS = """
16,-6,-2,11 17,-6,-3,10 18,-6,-3,9 13,-5,-2,12 14,-5,-2,11 15,-5,-2,11 19,-5,-3,8 20,-5,-3,7 21,-5,-3,6 11,-4,-2,13
12,-4,-2,12 22,-4,-3,6 10,-2,-2,13 23,-2,-3,5 24,-2,-3,5 25,-2,-4,6 9,-1,-1,13 3,0,0,8 2,1,2,8 1,2,3,7 4,2,0,10
6,2,-1,12 7,2,-1,12 8,2,-1,13 5,3,0,11 0,5,5,5
"""
SORTED_ROWS = """
0,5,5,5 1,2,3,7 2,1,2,8 3,0,0,8 4,2,0,10 5,3,0,11 6,2,-1,12 7,2,-1,12 8,2,-1,13 9,-1,-1,13 10,-2,-2,13 11,-4,-2,13
12,-4,-2,12 13,-5,-2,12 14,-5,-2,11 15,-5,-2,11 16,-6,-2,11 17,-6,-3,10 18,-6,-3,9 19,-5,-3,8 20,-5,-3,7 21,-5,-3,6
22,-4,-3,6 23,-2,-3,5 24,-2,-3,5 25,-2,-4,6
"""


def table(rows):
    """A DataFrame with the time as index."""
    numbers = [tuple(map(float, row.split(","))) for row in rows.split()]
    frame = pd.DataFrame(numbers, columns=["t", "x1", "x2", "x3"]).set_index("t")
    frame.attrs = {"name": "example", "units": {"t": "s", "x1": "m", "x2": "m", "x3": "m"}, "descriptions": {}}
    return frame


def example():
    return table(ROWS)


def example_sorted():
    return table(SORTED_ROWS)
