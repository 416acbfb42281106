"""Where numbers stand: the slots of objects, and the memory of one simulation."""
