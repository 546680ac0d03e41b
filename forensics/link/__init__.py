"""Joins records to exchanges: by room, ids, ids in errors, equal content and time, and last by time and size."""
