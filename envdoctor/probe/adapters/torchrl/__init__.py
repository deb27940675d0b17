"""TorchRL: its batched environments, and its environments as they are traced."""

from __future__ import annotations

VECTORIZERS = ("serial", "parallel")
