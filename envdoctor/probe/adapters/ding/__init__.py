"""DI-engine: its environment managers, and environments in its wrapper."""

from __future__ import annotations

VECTORIZERS = ("base", "subproc", "async_subproc")
