"""Reports from outside: what somebody saw, as suspicions that the next analysis takes up."""
