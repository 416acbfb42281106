"""The user's code, read once: its text, what its names mean, and what has no sense where it stands."""
