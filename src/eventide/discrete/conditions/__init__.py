"""State events: conditions that are waited for, and handlers that they release."""
