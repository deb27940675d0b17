"""The shape of environments that a server offers."""

from __future__ import annotations

VECTORIZERS = ("server",)
