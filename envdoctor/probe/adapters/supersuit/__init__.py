"""SuperSuit: vector environments of PettingZoo's parallel ones, a row an agent."""

VECTORIZERS = ("concat", "workers")
