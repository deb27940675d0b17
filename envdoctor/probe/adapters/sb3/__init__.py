"""Stable-Baselines3: its vectorizers."""

from __future__ import annotations

VECTORIZERS = ("dummy", "subproc")
