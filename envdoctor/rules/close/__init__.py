"""CLS: what close() does, and what it leaves."""
