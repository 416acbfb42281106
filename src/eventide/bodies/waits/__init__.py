"""Waits of rows in the text, and levels of the user's."""
