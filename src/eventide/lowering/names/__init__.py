"""What code refers to: names and the objects they stand for, paths to these, what may change of them."""
