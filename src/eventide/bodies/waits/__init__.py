"""What processes wait for while they are rows: who goes away with it, and the first of several things."""
