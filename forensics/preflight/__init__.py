"""Can this deployment leak? Reads what processes and configurations say of themselves, and answers a checklist."""
