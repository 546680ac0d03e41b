"""Finds grounds to look, from metadata alone: one SQL file per mechanism, and the candidate sources of its suspects."""
