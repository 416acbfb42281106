"""Where numbers stand: slots of objects, rows of flows, and arrays that grow."""
