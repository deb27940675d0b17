"""DI-engine: its environment managers, and environments in its wrapper."""

VECTORIZERS = ("base", "subproc", "async_subproc")
