"""Tianshou: its vectorized environments."""

VECTORIZERS = ("dummy", "subproc", "shmem")
