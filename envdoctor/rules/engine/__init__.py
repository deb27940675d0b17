"""The engine: the registry of rules, what a rule sees, and how rules are applied."""
