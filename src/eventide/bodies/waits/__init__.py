"""Waits of rows for the first of several things, in the text and as objects of Python, and levels of the user's."""
