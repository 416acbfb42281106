"""Conditions as the stepper knows them, and handlers that are native code."""
