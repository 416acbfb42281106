"""The migration of processes: which continue as rows of native code, and how they return to Python."""
