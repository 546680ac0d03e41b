"""The audit that runs at night: what is new since the last run, against what is kept, told once."""
