"""The shapes of many agents: all at once, and one after the other."""
