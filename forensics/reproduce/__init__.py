"""Derives the numbers of a published report again from the evidence, and compares."""
