"""Random streams and what is drawn from them."""
