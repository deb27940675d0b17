"""Ray: environments in plain actors, and the cluster of one machine that is theirs."""

VECTORIZERS = ("actor",)
