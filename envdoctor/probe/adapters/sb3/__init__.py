"""Stable-Baselines3: its vectorizers."""
