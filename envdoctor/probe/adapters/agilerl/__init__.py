"""AgileRL: its vector environments of PettingZoo's parallel ones."""

VECTORIZERS = ("async_",)
