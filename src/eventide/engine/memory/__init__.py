"""The arrays that hold the records: tables whose rows are given out and taken back, and what flows have of them."""
