"""Which scenarios are played, and in which order. Pure: subject and findings in, scenarios out."""
