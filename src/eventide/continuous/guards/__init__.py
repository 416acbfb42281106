"""Conditions as the stepper knows them, and handlers and processes that are native code."""
