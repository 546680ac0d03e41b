"""Writes what machines logged, one module per program; each takes exchanges and returns timed lines or documents."""
