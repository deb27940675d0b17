"""Gymnasium: its vector environments, and its environments as they are traced."""

VECTORIZERS = ("sync", "async_")
