"""Tianshou: its vectorized environments."""

from __future__ import annotations

VECTORIZERS = ("dummy", "subproc", "shmem")
