"""Controls: planted exchanges that every analysis must find, and places where there is nothing to find."""
