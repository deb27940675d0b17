"""Tianshou: its vectorized environments."""
