"""RUS: whether instances are reused."""
