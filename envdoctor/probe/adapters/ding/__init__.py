"""DI-engine: its environment managers, and environments in its wrapper."""
