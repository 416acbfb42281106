"""Kernels: a function lowered as a whole, and all that its caller has to know of it."""
