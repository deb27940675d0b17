"""DET: whether the same seed gives the same episode."""
