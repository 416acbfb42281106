"""What branches in laws: found in their text, located, and the laws rewritten for it."""
