"""One reading of a body for several simulations: what it relies on, and where it finds the objects of each."""
