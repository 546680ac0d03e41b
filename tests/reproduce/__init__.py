"""Reproducing a report from its evidence."""
