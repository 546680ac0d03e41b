"""Gives each exchange its verdict on two axes, with reasons, and names sources where they are unique."""
