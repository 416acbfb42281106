"""Code of the user as instructions: the context, the rules for syntax nodes and functions, and the dialects."""
