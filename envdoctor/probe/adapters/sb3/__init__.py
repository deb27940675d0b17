"""Stable-Baselines3: its vectorizers."""

VECTORIZERS = ("dummy", "subproc")
