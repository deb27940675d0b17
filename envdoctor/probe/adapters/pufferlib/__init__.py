"""PufferLib: its vectorizers of Python environments."""

from __future__ import annotations

VECTORIZERS = ("serial", "workers")
