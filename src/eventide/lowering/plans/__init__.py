"""Plans of laws, conditions, handlers and processes for the stepper, and the kernels there are already."""
