"""Flows: what moves together, in which order its laws run, and who reads and writes across."""
