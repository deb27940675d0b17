"""Ray: environments in plain actors, and the cluster of one machine that is theirs."""

from __future__ import annotations

VECTORIZERS = ("actor",)
