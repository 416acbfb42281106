"""The user's code, read once: its text, the meaning of its names, and code that makes no sense in its place.

In: functions of the user. Out: syntax trees, scopes, and errors. Nothing of the user's is executed.
"""
