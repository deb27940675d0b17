"""RLlib: its runner of single-agent environments."""

from __future__ import annotations

VECTORIZERS = ("runner", "remote")
