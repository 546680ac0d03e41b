"""Controls: planted exchanges, and rules that are switched off."""
