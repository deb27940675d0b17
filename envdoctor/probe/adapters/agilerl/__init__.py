"""AgileRL: its vector environments of PettingZoo's parallel ones."""

from __future__ import annotations

VECTORIZERS = ("async_",)
