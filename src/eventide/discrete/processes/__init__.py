"""Processes: generators that run between their commands, and how they end."""
