"""Processes that wait: their code between waits as segments, and the plans of these."""
