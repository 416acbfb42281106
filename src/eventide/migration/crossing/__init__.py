"""What a generator gives to its row, and what a row gives back: start at `body.py`."""
