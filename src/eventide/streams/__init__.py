"""Random streams and what is drawn from them.

In: entropy, the number of a replication, names. Out: independent streams of random numbers; draws from distributions.
May import: statistics, declare, errors. Start reading at `streams.py`.
"""
