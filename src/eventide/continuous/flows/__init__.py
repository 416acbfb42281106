"""Flows: what moves together, in which order its laws run, and which flows read and write across."""
