"""SuperSuit: vector environments of PettingZoo's parallel ones, a row an agent."""

from __future__ import annotations

VECTORIZERS = ("concat", "workers")
