"""Reports from outside."""
