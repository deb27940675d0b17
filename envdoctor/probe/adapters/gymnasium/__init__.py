"""Gymnasium: its vector environments, and its environments as they are traced."""

from __future__ import annotations

VECTORIZERS = ("sync", "async_")
