"""Processes: the stories that run between their commands, and how they end."""
