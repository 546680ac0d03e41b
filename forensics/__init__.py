"""Incident forensics and blast-radius analysis for multi-tenant LLM inference."""

__version__ = "0.1.0"
